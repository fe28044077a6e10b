import type { KnownAgent } from "../known-agent.ts";

export const pi: KnownAgent = {
  id: "pi-acp",
  aliases: ["pi"],
  title: "pi",
  description: "The pi coding agent, behind its ACP adapter.",
  from: { runner: "npx", package: "pi-acp", version: "0.0.34", program: "pi-acp" },
  env: { PI_SKIP_VERSION_CHECK: "1" },
  ways: {
    cancelTools: true,
    neverAsks: true,
    note: "It needs pi itself on PATH (@earendil-works/pi-coding-agent, Node 22.19 or newer), and never asks before it acts.",
  },
  capabilities: {
    loadSession: true,
    promptCapabilities: { image: true, audio: false, embeddedContext: false },
    mcpCapabilities: { http: false, sse: false },
    sessionCapabilities: { delete: {}, list: {} },
  },
  authMethods: [
    {
      id: "pi_terminal_login",
      name: "Launch pi in the terminal",
      description: "Start pi in an interactive terminal to configure API keys or login",
      type: "terminal",
      args: ["--terminal-login"],
    },
  ],
};

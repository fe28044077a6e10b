import type { KnownAgent } from "../known-agent.ts";

export const opencode: KnownAgent = {
  id: "opencode",
  aliases: ["opencode-ai"],
  title: "OpenCode",
  description: "The open source coding agent for any model.",
  from: { runner: "npx", package: "opencode-ai", version: "1.18.33", program: "opencode" },
  args: ["acp"],
  env: { OPENCODE_DISABLE_AUTOUPDATE: "1" },
  ways: { note: "What it asks before it does is set under permission in its own opencode.json." },
  capabilities: {
    loadSession: true,
    promptCapabilities: { image: true, embeddedContext: true },
    mcpCapabilities: { http: true, sse: true },
    sessionCapabilities: { close: {}, fork: {}, list: {}, resume: {} },
  },
  authMethods: [
    {
      id: "opencode-login",
      name: "Login with opencode",
      description: "Run `opencode auth login` in the terminal",
    },
  ],
};

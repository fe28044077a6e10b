import type { KnownAgent } from "../known-agent.ts";

export const cline: KnownAgent = {
  id: "cline",
  title: "Cline",
  description: "Cline's coding agent for the terminal.",
  from: { runner: "npx", package: "cline", version: "3.0.65", program: "cline" },
  args: ["--acp"],
  keys: ["CLINE_API_KEY"],
  ways: {
    daemon: "--cline-hub-daemon",
    note: "All of its processes with one HOME share a daemon, which runs their commands and stays when they end.",
  },
  capabilities: {
    loadSession: true,
    promptCapabilities: { image: true, audio: false, embeddedContext: false },
  },
  authMethods: [
    { id: "cline", name: "Sign in with Cline" },
    { id: "cline-pass", name: "Sign in with ClinePass" },
    { id: "openai-codex", name: "Sign in with ChatGPT Subscription" },
  ],
};

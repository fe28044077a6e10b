import type { KnownAgent } from "../known-agent.ts";

export const copilot: KnownAgent = {
  id: "github-copilot-cli",
  aliases: ["copilot", "copilot-cli"],
  title: "GitHub Copilot",
  description: "GitHub's coding agent.",
  from: {
    runner: "npx",
    package: "@github/copilot",
    version: "1.0.102",
    program: "copilot",
    commonName: true,
  },
  args: ["--acp", "--no-auto-update"],
  keys: ["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"],
  capabilities: {
    loadSession: true,
    promptCapabilities: { image: true, audio: false, embeddedContext: true },
    mcpCapabilities: { http: true, sse: true },
    sessionCapabilities: { close: {}, list: {} },
  },
  authMethods: [
    {
      id: "copilot-login",
      name: "Log in with Copilot CLI",
      description: "Run `copilot login` in the terminal",
      _meta: { "terminal-auth": { command: "copilot", args: ["login"], label: "Copilot Login" } },
    },
  ],
};

import type { KnownAgent } from "../known-agent.ts";

/** Tried on Node 20. Versions from 0.50 on ask for Node 22. */
export const claude: KnownAgent = {
  id: "claude-acp",
  aliases: ["claude", "claude-agent-acp", "claude-code-acp"],
  title: "Claude Code",
  description: "Anthropic's coding agent, behind its ACP adapter.",
  from: {
    runner: "npx",
    package: "@agentclientprotocol/claude-agent-acp",
    version: "0.49.0",
    program: "claude-agent-acp",
  },
  env: { DISABLE_AUTOUPDATER: "1" },
  keys: ["ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"],
  ways: {
    askingMode: "default",
    note: "Newer versions start in mode auto, in which a model decides what is asked.",
  },
  capabilities: {
    loadSession: true,
    promptCapabilities: { image: true, embeddedContext: true },
    mcpCapabilities: { http: true, sse: true },
    sessionCapabilities: {
      additionalDirectories: {},
      close: {},
      delete: {},
      fork: {},
      list: {},
      resume: {},
    },
  },
  authMethods: [],
};

import type { KnownAgent } from "../known-agent.ts";

export const codex: KnownAgent = {
  id: "codex-acp",
  aliases: ["codex"],
  title: "Codex",
  description: "OpenAI's coding agent, behind its ACP adapter.",
  from: {
    runner: "npx",
    package: "@agentclientprotocol/codex-acp",
    version: "2.6.0",
    program: "codex-acp",
  },
  keys: ["OPENAI_API_KEY", "CODEX_API_KEY"],
  ways: {
    cancelTools: true,
    askingMode: "workspace-write",
    note: "It starts in mode agent, in which a model reviews most of what would be asked; workspace-write asks you.",
  },
  capabilities: {
    loadSession: true,
    promptCapabilities: { image: true, embeddedContext: true },
    mcpCapabilities: { http: true, sse: false },
    sessionCapabilities: {
      additionalDirectories: {},
      close: {},
      delete: {},
      fork: {},
      list: {},
      resume: {},
    },
  },
  authMethods: [
    {
      id: "api-key",
      name: "API Key",
      description: "Use an API key to authenticate",
      _meta: { "api-key": { provider: "openai" } },
    },
    { id: "chat-gpt", name: "ChatGPT", description: "Use ChatGPT to authenticate" },
  ],
};

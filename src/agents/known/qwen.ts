import type { KnownAgent } from "../known-agent.ts";

/** The last version that runs on Node 20. */
export const qwen: KnownAgent = {
  id: "qwen-code",
  aliases: ["qwen"],
  title: "Qwen Code",
  description: "Alibaba's coding agent.",
  from: { runner: "npx", package: "@qwen-code/qwen-code", version: "0.15.10", program: "qwen" },
  args: ["--acp"],
  keys: ["OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"],
  ways: { cancelTools: true, resume: false },
  capabilities: {
    loadSession: true,
    promptCapabilities: { image: true, audio: true, embeddedContext: true },
    mcpCapabilities: { http: true, sse: true },
    sessionCapabilities: { list: {}, resume: {} },
  },
  authMethods: [
    {
      id: "openai",
      name: "Use OpenAI API key",
      description: "Requires setting the `OPENAI_API_KEY` environment variable",
      _meta: { type: "terminal", args: ["--auth-type=openai"] },
    },
    {
      id: "qwen-oauth",
      name: "Qwen OAuth",
      description: "Qwen OAuth (free tier discontinued 2026-04-15)",
      _meta: { type: "terminal", args: ["--auth-type=qwen-oauth"] },
    },
  ],
};

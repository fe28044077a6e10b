import type { KnownAgent } from "../known-agent.ts";

export const gemini: KnownAgent = {
  id: "gemini",
  aliases: ["gemini-cli"],
  title: "Gemini CLI",
  description: "Google's coding agent.",
  from: { runner: "npx", package: "@google/gemini-cli", version: "0.61.0", program: "gemini" },
  args: ["--acp"],
  keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  ways: {
    // It reads a file before it creates it, and takes "no such file" from a client as fatal.
    fs: "off",
    // It offers session/load and refuses its own sessions.
    load: false,
  },
  capabilities: {
    loadSession: true,
    promptCapabilities: { image: true, audio: true, embeddedContext: true },
    mcpCapabilities: { http: true, sse: true },
  },
  authMethods: [
    { id: "oauth-personal", name: "Log in with Google", description: "Log in with your Google account" },
    {
      id: "gemini-api-key",
      name: "Gemini API key",
      description: "Use an API key with Gemini Developer API",
      _meta: { "api-key": { provider: "google" } },
    },
    { id: "vertex-ai", name: "Vertex AI", description: "Use an API key with Vertex AI GenAI API" },
    {
      id: "gateway",
      name: "AI API Gateway",
      description: "Use a custom AI API Gateway",
      _meta: { gateway: { protocol: "google", restartRequired: "false" } },
    },
  ],
};

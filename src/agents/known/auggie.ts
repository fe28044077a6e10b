import type { KnownAgent } from "../known-agent.ts";

export const auggie: KnownAgent = {
  id: "auggie",
  title: "Auggie",
  description: "Augment Code's coding agent.",
  from: { runner: "npx", package: "@augmentcode/auggie", version: "0.36.0", program: "auggie" },
  args: ["--acp"],
  env: { AUGMENT_DISABLE_AUTO_UPDATE: "1" },
  capabilities: {
    loadSession: true,
    promptCapabilities: { image: true },
    sessionCapabilities: { list: {} },
  },
  authMethods: [],
};

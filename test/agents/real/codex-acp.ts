import { join } from "node:path";
import { environmentOf, putInHome } from "./home.ts";
import type { RealAgent } from "./real-agent.ts";
import { cues } from "./script.ts";

const CODEX = { name: "@agentclientprotocol/codex-acp", version: "2.6.0" };

/** A model that Codex knows: for any other it offers no `apply_patch`, and warns in the agent's voice. */
const MODEL = "gpt-5.5";

export const codexConfiguration = (model: string): string => `model = "${MODEL}"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "${model}/v1"
env_key = "SCRIPTED_API_KEY"
wire_api = "responses"
`;

/** Codex behind its ACP adapter. In its first mode a model reviews what would be asked. */
export const codexAcp: RealAgent = {
  name: "codex-acp",
  package: CODEX,
  prepare({ home, model }) {
    putInHome(home, join(".codex", "config.toml"), codexConfiguration(model));
    return {
      agent: "codex-acp",
      env: { ...environmentOf(CODEX, home), SCRIPTED_API_KEY: "none", OPENAI_API_KEY: "none" },
    };
  },
  askingMode: "workspace-write",
  refusedTurn: "cancelled",
  script: cues,
};

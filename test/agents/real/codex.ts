import { join } from "node:path";
import type { Pinned } from "../install.ts";
import { codexConfiguration } from "./codex-acp.ts";
import { environmentOf, putInHome } from "./home.ts";
import type { RealAgent } from "./real-agent.ts";
import { cues } from "./script.ts";

export const CODEX: Pinned = { name: "@openai/codex", version: "0.171.0" };

/** Codex itself, by hall's own adapter. */
export const codex: RealAgent = {
  name: "codex",
  package: CODEX,
  prepare({ home, model }) {
    putInHome(home, join(".codex", "config.toml"), codexConfiguration(model));
    return { adapter: "codex", env: { ...environmentOf(CODEX, home), SCRIPTED_API_KEY: "none" } };
  },
  askingMode: "ask",
  refusedTurn: "end_turn",
  script: cues,
};

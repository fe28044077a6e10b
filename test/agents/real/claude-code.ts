import { fileOf, type Pinned } from "../install.ts";
import { environmentOf } from "./home.ts";
import type { RealAgent } from "./real-agent.ts";
import { cues } from "./script.ts";

export const CLAUDE_CODE: Pinned = { name: "@anthropic-ai/claude-code", version: "2.1.332" };

/** The package's own program is put in place by an install script; this is where the script takes it from. */
const program = (): string =>
  fileOf(CLAUDE_CODE, "..", `claude-code-${process.platform}-${process.arch}`, "claude");

/** Claude Code itself, by hall's own adapter. */
export const claudeCode: RealAgent = {
  name: "claude-code",
  package: CLAUDE_CODE,
  prepare: ({ home, model }) => ({
    adapter: "claude-code",
    command: [program()],
    env: {
      ...environmentOf(CLAUDE_CODE, home),
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_TELEMETRY: "1",
    },
  }),
  refusedTurn: "end_turn",
  script: cues,
};

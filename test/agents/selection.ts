import { claudeAgentAcp } from "./real/claude-agent-acp.ts";
import { claudeCode } from "./real/claude-code.ts";
import { codex } from "./real/codex.ts";
import { codexAcp } from "./real/codex-acp.ts";
import { copilot } from "./real/copilot.ts";
import { geminiCli } from "./real/gemini-cli.ts";
import { opencode } from "./real/opencode.ts";
import { pi } from "./real/pi.ts";
import { qwenCode } from "./real/qwen-code.ts";
import type { RealAgent } from "./real/real-agent.ts";
import { sdkExample } from "./real/sdk-example.ts";

/** The smallest two: together 70 MB. They run wherever the others do. */
const SMALL: readonly RealAgent[] = [sdkExample, qwenCode];

/** All agents that these tests know: 1.5 GB to install. */
const ALL: readonly RealAgent[] = [
  ...SMALL,
  geminiCli,
  claudeAgentAcp,
  opencode,
  codexAcp,
  copilot,
  claudeCode,
  codex,
  pi,
];

/** Claude Code with `hall permit` as its hook: 250 MB to install. */
const HOOK = "claude-hook";

/** Whether the hook is to be shown at work: when it is named, or everything is. */
export const isHookSelected = (names = process.env.HALL_TEST_AGENTS ?? ""): boolean =>
  names.split(",").some((name) => name === "all" || name === HOOK);

/**
 * The agents to test: those that HALL_TEST_AGENTS names (commas between them, or `all`), else the small ones.
 * Throws when it names one that nobody knows.
 */
export function selectedAgents(names = process.env.HALL_TEST_AGENTS ?? ""): readonly RealAgent[] {
  if (names === "") return SMALL;
  if (names === "all") return ALL;
  const agents = names.split(",").filter((name) => name !== HOOK);
  return agents.map((name) => {
    const agent = ALL.find((known) => known.name === name);
    if (agent) return agent;
    const known = ALL.map((one) => one.name).join(", ");
    throw new Error(`HALL_TEST_AGENTS names "${name}"; there are ${known}, ${HOOK}, and all.`);
  });
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { UPDATE_ENDING, updateBeginning } from "../../src/acp/updates.ts";
import type { Adapter } from "../../src/agents/adapters/adapter.ts";
import { claudeCode } from "../../src/agents/adapters/claude-code/claude-code.ts";
import { codex } from "../../src/agents/adapters/codex/codex.ts";
import { oneShot } from "../../src/agents/adapters/one-shot/one-shot.ts";
import { pi } from "../../src/agents/adapters/pi/pi.ts";
import { type Bench, KILO, rate } from "../figure.ts";
import { inRounds, median } from "../rounds.ts";

const DELTAS = 50_000;
const ROUNDS = 9;
const AT_LEAST = 20 * KILO;
const RECORDINGS = join(import.meta.dirname, "..", "..", "..", "test", "recordings");

const SETTINGS = {
  command: ["x"],
  args: [],
  output: "jsonl" as const,
  resumeArgs: undefined,
  preset: undefined,
  environment: {},
};
const OPENING = { how: "new" as const, id: "s", cwd: "/", additionalDirectories: [], mcpServers: [] };

/** A streamed piece of text, as the real program wrote it. */
function recordedDelta(file: string, mark: string): string {
  const lines = readFileSync(join(RECORDINGS, file), "utf8").split("\n");
  const line = lines.find((text) => text.includes(mark));
  if (line === undefined) throw new Error(`There is no ${mark} in ${file}.`);
  return JSON.stringify(JSON.parse(line).msg);
}

/** Pieces a second, from the program's line to ACP's line. */
async function translate<State>(
  adapter: Adapter<State>,
  line: string,
  prepare?: (state: State) => void,
): Promise<number> {
  const state = adapter.init(SETTINGS, OPENING);
  prepare?.(state);
  const beginning = updateBeginning("s");
  let bytes = 0;
  const before = process.cpuUsage();
  for (let told = 0; told < DELTAS; told += 1) {
    for (const step of adapter.fromNative(line, state)) {
      if ("update" in step) bytes += `${beginning}${JSON.stringify(step.update)}${UPDATE_ENDING}\n`.length;
    }
  }
  const { user, system } = process.cpuUsage(before);
  if (bytes === 0) throw new Error(`${adapter.name} made nothing of its line.`);
  return DELTAS / ((user + system) / 1_000_000);
}

export const adapters: Bench = {
  name: "adapters",
  async run() {
    const claudeLine = recordedDelta("claude-code-2.1.332/text.jsonl", '"text_delta"');
    const codexLine = recordedDelta("codex-0.171.0/as-text.jsonl", "item/agentMessage/delta");
    const thread = JSON.parse(codexLine).params.threadId;
    const piLine = recordedDelta("pi-0.73.1/text.jsonl", '"text_delta"');
    const jsonLine = JSON.stringify({ type: "message", text: "A few words " });
    const rates = await inRounds(ROUNDS, {
      "claude-code": () => translate(claudeCode, claudeLine),
      codex: () =>
        translate(codex, codexLine, (state) => {
          state.threadId = thread;
        }),
      pi: () => translate(pi, piLine),
      "one-shot": () =>
        translate(oneShot, jsonLine, (state) => {
          oneShot.fromAcp(
            { kind: "request", id: 1, method: "session/prompt", params: { prompt: [] } },
            state,
          );
        }),
    });
    return Object.entries(rates).map(([name, measured]) => ({
      what: `streamed pieces of text through the adapter ${name}, a second`,
      target: `>= ${rate(AT_LEAST)}`,
      measured: rate(median(measured)),
      from: `${rate(Math.min(...measured))} to ${rate(Math.max(...measured))}`,
      met: median(measured) >= AT_LEAST,
    }));
  },
};

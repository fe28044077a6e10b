import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { BenchClient } from "../client.ts";
import { type Bench, milliseconds } from "../figure.ts";
import { BenchHall } from "../hall.ts";
import { AGENT } from "../program.ts";
import { inRounds, median } from "../rounds.ts";

const ROUNDS = 9;
const AT_MOST_MS = 5;
/** Long enough for the next process to be started in the place of the one that was taken. */
const REFILL_MS = 1_500;

async function newSession(client: BenchClient): Promise<number> {
  const begun = performance.now();
  await client.newSession();
  return performance.now() - begun;
}

/** What a slot's `warm` is for: a new session takes what the agent's own `session/new` takes. */
export const warm: Bench = {
  name: "warm",
  async run() {
    const [cold, kept] = await Promise.all([BenchHall.start(), BenchHall.start({ warm: 1 })]);
    const [program = "", ...args] = AGENT;
    const agent = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
    try {
      const direct = new BenchClient(agent.stdout, agent.stdin);
      const [toCold, toKept] = await Promise.all([cold.connect(), kept.connect()]);
      await Promise.all([direct, toCold, toKept].map((client) => client.initialize()));
      const times = await inRounds(ROUNDS, {
        alone: () => newSession(direct),
        cold: () => newSession(toCold),
        kept: async () => {
          await pause(REFILL_MS);
          return newSession(toKept);
        },
      });
      const above = median(times.kept.map((ms, round) => ms - (times.alone[round] ?? Number.NaN)));
      return [
        {
          what: "a new session in a slot with a warm process, above the agent's own `session/new`",
          target: `<= ${milliseconds(AT_MOST_MS)}`,
          measured: milliseconds(above),
          from: `${milliseconds(median(times.kept))} and ${milliseconds(median(times.alone))}; without a warm process ${milliseconds(median(times.cold))}`,
          met: above <= AT_MOST_MS,
        },
      ];
    } finally {
      agent.stdin.end();
      await Promise.all([cold.stop(), kept.stop()]);
    }
  },
};

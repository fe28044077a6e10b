import { spawn } from "node:child_process";
import { BenchClient } from "../client.ts";
import { type Bench, milliseconds } from "../figure.ts";
import { BenchHall } from "../hall.ts";
import { NOTHING } from "../order.ts";
import { AGENT } from "../program.ts";
import { inRounds, median } from "../rounds.ts";

const ROUNDS = 9;
/** As many before it counts, too: it takes Node some thousand turns to compile what they run through. */
const PROMPTS = 2_000;
const AT_MOST_MS = 0.3;

/** The median of so many round trips, one after another. */
async function p50(client: BenchClient, sessionId: string): Promise<number> {
  const times = [];
  for (let n = 0; n < PROMPTS; n++) times.push((await client.prompt(sessionId, NOTHING)).ms);
  return median(times);
}

export const roundTrip: Bench = {
  name: "round-trip",
  async run() {
    const hall = await BenchHall.start();
    const [program = "", ...args] = AGENT;
    const agent = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
    try {
      const direct = new BenchClient(agent.stdout, agent.stdin);
      const through = await hall.connect();
      await Promise.all([direct.initialize(), through.initialize()]);
      const [own, halls] = await Promise.all([direct.newSession(), through.newSession()]);
      const times = await inRounds(ROUNDS, {
        alone: () => p50(direct, own),
        hall: () => p50(through, halls),
      });
      const above = median(times.hall.map((ms, round) => ms - (times.alone[round] ?? Number.NaN)));
      return [
        {
          what: "round trip of a prompt, p50, above the agent alone",
          target: `<= ${milliseconds(AT_MOST_MS)}`,
          measured: milliseconds(above),
          from: `${milliseconds(median(times.hall))} and ${milliseconds(median(times.alone))}`,
          met: above <= AT_MOST_MS,
        },
      ];
    } finally {
      agent.stdin.end();
      await hall.stop();
    }
  },
};

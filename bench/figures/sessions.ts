import type { BenchClient } from "../client.ts";
import { type Bench, KILO, rate, ratio } from "../figure.ts";
import { BenchHall } from "../hall.ts";
import { inRounds, median, medianRatio } from "../rounds.ts";

const ROUNDS = 7;
const SESSIONS = 8;
const UPDATES = 120 * KILO;
const TEXT = 40;
const OF_ONE = 0.85;

export const sessions: Bench = {
  name: "sessions",
  async run() {
    const hall = await BenchHall.start();
    try {
      const ends: { client: BenchClient; sessionId: string }[] = [];
      for (let n = 0; n < SESSIONS; n++) {
        const client = await hall.connect();
        await client.initialize();
        ends.push({ client, sessionId: await client.newSession() });
      }
      /** The same number of updates in sum, over `some` of the sessions at once. */
      const throughput = async (some: typeof ends): Promise<number> => {
        const order = { updates: UPDATES / some.length, text: TEXT };
        const begun = performance.now();
        await Promise.all(some.map(({ client, sessionId }) => client.prompt(sessionId, order)));
        return (UPDATES / (performance.now() - begun)) * 1000;
      };
      const { one, all } = await inRounds(ROUNDS, {
        one: () => throughput(ends.slice(0, 1)),
        all: () => throughput(ends),
      });
      const ofOne = medianRatio(all, one);
      return [
        {
          what: `updates of ${TEXT} bytes, ${SESSIONS} sessions at once, in sum, against one session`,
          target: `>= ${OF_ONE}`,
          measured: ratio(ofOne),
          from: `${rate(median(all))} and ${rate(median(one))}`,
          met: ofOne >= OF_ONE,
        },
      ];
    } finally {
      await hall.stop();
    }
  },
};

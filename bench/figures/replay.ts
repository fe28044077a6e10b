import fs from "node:fs";
import { type Bench, KILO, milliseconds, ratio } from "../figure.ts";
import { BenchHall } from "../hall.ts";
import { Program } from "../program.ts";
import { inRounds, median, medianRatio } from "../rounds.ts";

const ROUNDS = 9;
const UPDATES = 100 * KILO;
const TEXT = 40;
const OF_CAT = 0.5;

export const replay: Bench = {
  name: "replay",
  async run() {
    const hall = await BenchHall.start();
    let cat: Program | undefined;
    try {
      const client = await hall.connect();
      await client.initialize();
      const sessionId = await client.newSession();
      await client.prompt(sessionId, { updates: UPDATES, text: TEXT });
      const journal = hall.journalOf(sessionId);
      cat = await Program.start("cat", [journal]);
      // The user's own words are the journal's first line.
      const lines = UPDATES + 1;
      const { size } = fs.statSync(journal);
      const bare = cat;
      /** Both on a new connection, which is there before the time runs. */
      const times = await inRounds(ROUNDS, {
        cat: async () => {
          const reader = await bare.connect();
          const begun = performance.now();
          reader.poke();
          await reader.untilUpdates(lines);
          const ms = performance.now() - begun;
          reader.close();
          return ms;
        },
        hall: async () => {
          const reader = await hall.connect();
          await reader.initialize();
          const begun = performance.now();
          await reader.load(sessionId);
          const ms = performance.now() - begun;
          if (reader.updates !== lines) throw new Error(`${reader.updates} of ${lines} lines were replayed`);
          reader.close();
          return ms;
        },
      });
      const ofCat = medianRatio(times.cat, times.hall);
      return [
        {
          what: `replay of ${UPDATES} updates (${Math.round(size / 1e6)} MB), against cat file | socket`,
          target: `>= ${OF_CAT}`,
          measured: ratio(ofCat),
          from: `${milliseconds(median(times.hall))} and ${milliseconds(median(times.cat))}`,
          met: ofCat >= OF_CAT,
        },
      ];
    } finally {
      cat?.stop();
      await hall.stop();
    }
  },
};

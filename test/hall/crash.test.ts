import { describe, expect, it } from "vitest";
import { Story } from "./crash/story.ts";

/** Crashes that are tried: a part of them each time, all of them by `npm run test:chaos`. */
const CRASHES = Number(process.env.HALL_CRASHES ?? 400);
/** One of them alone, as its failure named it: `seed:change`. */
const ALONE = process.env.HALL_CRASH;

describe("a hall whose machine stops at any write", () => {
  it.skipIf(ALONE)(
    `loses nothing and does nothing twice: ${CRASHES} crashes`,
    async () => {
      let crashes = 0;
      for (let seed = 1; crashes < CRASHES; seed += 1) {
        // Without a crash first: how many changes of the disk this load makes.
        const changes = await new Story({ seed, at: 0 }).run();
        expect(changes).toBeGreaterThan(5);
        for (let at = 1; at <= changes && crashes < CRASHES; at += 1, crashes += 1)
          await new Story({ seed, at }).run();
      }
    },
    600_000,
  );

  it.runIf(ALONE)("again, as it was", async () => {
    const [seed = 1, at = 0] = (ALONE ?? "").split(":").map(Number);
    await new Story({ seed, at }).run();
  });
});

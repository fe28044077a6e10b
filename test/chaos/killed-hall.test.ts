import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Household, leftOf } from "../cli/household.ts";
import { Dice } from "../doubles/dice.ts";
import { settleAccounts } from "./accounts.ts";
import { Crowd } from "./crowd.ts";

/** `npm run test:chaos` kills more often. */
const KILLS = Number(process.env.HALL_CHAOS_KILLS ?? 3);
const SEED = Number(process.env.HALL_CHAOS_SEED ?? Date.now() % 1e6);

describe("a hall that is killed under load", () => {
  it(
    `loses nothing and runs nothing twice: ${KILLS} kills, HALL_CHAOS_SEED=${SEED}`,
    async () => {
      const dice = new Dice(SEED);
      const home = new Household();
      const transcripts = join(home.folder, "transcripts");
      mkdirSync(transcripts);
      const ways = { transcript: transcripts, stateFile: join(home.folder, "agent.json") };
      const roster = home.roster({ only: { ways } });
      const socket = join(home.folder, ".hall", "hall.sock");
      let hall = await home.serve(roster);
      const crowd = await Crowd.at({ home, socket, dice, prompts: 4, burst: 2_000 });
      for (let kill = 0; kill < KILLS; kill += 1) {
        // Who has not come back yet does not lose another connection.
        await expect.poll(() => crowd.isThere, { timeout: 60_000, interval: 5 }).toBe(true);
        const until = performance.now() + 50 + dice.below(600);
        while (performance.now() < until) {
          crowd.ask();
          await setTimeout(5);
        }
        hall.signal("SIGKILL");
        await hall.finished;
        hall = await home.serve(roster);
      }
      await expect.poll(() => crowd.open, { timeout: 60_000 }).toEqual([0, 0]);
      for (const person of crowd.people) {
        expect(person.returns).toBe(KILLS);
        settleAccounts(person, join(home.folder, ".hall"), transcripts);
      }
      const outcomes = crowd.people.flatMap((person) => person.outcomes.map(([, outcome]) => outcome));
      expect(new Set(outcomes)).toEqual(new Set(["end_turn", "interrupted"]));
      expect(outcomes.filter((outcome) => outcome === "interrupted").length).toBeLessThanOrEqual(2 * KILLS);
      hall.signal("SIGTERM");
      expect((await hall.finished).code).toBe(0);
      expect(leftOf(home)).toEqual([]);
    },
    30_000 + 10_000 * KILLS,
  );
});

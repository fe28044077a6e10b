import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { connectSocket } from "../../src/wire/tcp.ts";
import { Household, leftOf } from "../cli/household.ts";
import { Dice } from "../doubles/dice.ts";
import type { Step } from "../doubles/scripted-agent/script.ts";
import { settleAccounts } from "./accounts.ts";
import { Person } from "./person.ts";

/** `npm run test:chaos` kills more often. */
const KILLS = Number(process.env.HALL_CHAOS_KILLS ?? 3);
const SEED = Number(process.env.HALL_CHAOS_SEED ?? Date.now() % 1e6);

/** A turn that says its key, and works for a moment. */
const work = (key: string, dice: Dice): Step[] => [
  { say: `<${key}>` },
  { tool: { id: `t-${key}`, title: "work", kind: "other", status: "pending" } },
  { burst: { count: 1 + dice.below(2_000), text: key } },
  { ask: { tool: { id: `q-${key}`, title: "ask" } } },
  { burst: { count: 1 + dice.below(200), text: key } },
];

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
      const people = [1, 2].map(() => new Person(() => connectSocket({ path: socket }), home.work));
      onTestFinished(async () => {
        for (const person of people) await person.end();
      });
      for (const person of people) await person.begin();
      let prompts = 0;
      const ask = (): void => {
        for (const person of people) {
          while (person.open < 4) {
            const key = `k${prompts++}`;
            void person.prompt(key, work(key, dice));
          }
        }
      };
      for (let kill = 0; kill < KILLS; kill += 1) {
        const until = performance.now() + 50 + dice.below(600);
        while (performance.now() < until) {
          ask();
          await setTimeout(5);
        }
        hall.signal("SIGKILL");
        await hall.finished;
        hall = await home.serve(roster);
      }
      await expect.poll(() => people.map(({ open }) => open), { timeout: 60_000 }).toEqual([0, 0]);
      for (const person of people) {
        expect(person.returns).toBe(KILLS);
        settleAccounts(person, join(home.folder, ".hall"), transcripts);
      }
      const outcomes = people.flatMap((person) => person.outcomes.map(([, outcome]) => outcome));
      expect(new Set(outcomes)).toEqual(new Set(["end_turn", "interrupted"]));
      expect(outcomes.filter((outcome) => outcome === "interrupted").length).toBeLessThanOrEqual(2 * KILLS);
      hall.signal("SIGTERM");
      expect((await hall.finished).code).toBe(0);
      expect(leftOf(home)).toEqual([]);
    },
    30_000 + 10_000 * KILLS,
  );
});

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Household, leftOf } from "../cli/household.ts";
import { Dice } from "../doubles/dice.ts";
import { settleAccounts } from "./accounts.ts";
import { Crowd } from "./crowd.ts";

/** `npm run test:chaos` kills more often. */
const KILLS = Number(process.env.HALL_CHAOS_KILLS ?? 2);
const SEED = Number(process.env.HALL_CHAOS_SEED ?? Date.now() % 1e6);

/** What agents told in the one session of a state directory: the lines of its journal that no hall wrote itself. */
function toldIn(state: string, sessionId: string): string[] {
  return readFileSync(join(state, "sessions", sessionId, "updates.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !/"user_message_chunk"|"hall\/closed"|"hall\/bound"/.test(line))
    .map((line) => line.replace(sessionId, "it"));
}

/** How a session came to its agent sessions, as its hall's record tells. */
function bindingsOf(state: string, sessionId: string): { agentSession: string; way: string }[] {
  const record = readFileSync(join(state, "sessions", sessionId, "session.jsonl"), "utf8").split("\n");
  return record.filter((line) => line.includes('"bound"')).map((line) => JSON.parse(line));
}

describe("two halls in a row, of which now one is killed and now the other", () => {
  it(
    `lose nothing and run nothing twice: ${KILLS} kills, HALL_CHAOS_SEED=${SEED}`,
    async () => {
      const dice = new Dice(SEED);
      const home = new Household();
      const transcripts = join(home.folder, "transcripts");
      mkdirSync(transcripts);
      const ways = { transcript: transcripts, stateFile: join(home.folder, "agent.json") };
      const states = { near: join(home.folder, ".hall"), far: join(home.folder, "far", ".hall") };
      const rosters = {
        near: home.roster({ far: { hall: `unix:${join(states.far, "hall.sock")}` } }),
        far: home.roster({ only: { ways } }, {}, join(home.folder, "far", "hall.yml")),
      };
      const halls = { far: await home.serve(rosters.far), near: await home.serve(rosters.near) };
      const socket = join(states.near, "hall.sock");
      const crowd = await Crowd.at({ home, socket, dice, prompts: 3, burst: 1_000 });
      for (let kill = 0; kill < KILLS; kill += 1) {
        crowd.ask();
        await setTimeout(100 + dice.below(400));
        const which = kill % 2 === 0 ? "near" : "far";
        halls[which].signal("SIGKILL");
        await halls[which].finished;
        halls[which] = await home.serve(rosters[which]);
      }
      await expect.poll(() => crowd.open, { timeout: 60_000 }).toEqual([0, 0]);
      for (const person of crowd.people) {
        settleAccounts(person, states.near, transcripts);
        const bindings = bindingsOf(states.near, person.sessionId);
        // One in which nothing was asked before the first kill is begun anew.
        for (const { way } of bindings) expect(way).toMatch(/^(new|resume)$/);
        const there = bindings.at(-1)?.agentSession ?? "";
        expect(toldIn(states.near, person.sessionId)).toEqual(toldIn(states.far, there));
        const ended = person.outcomes.filter(([, outcome]) => outcome === "end_turn");
        expect(ended.length).toBeGreaterThan(0);
      }
      for (const hall of [halls.near, halls.far]) {
        hall.signal("SIGTERM");
        expect((await hall.finished).code).toBe(0);
      }
      expect(leftOf(home)).toEqual([]);
    },
    KILLS * 5_000 + 90_000,
  );
});

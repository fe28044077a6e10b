import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Household, leftOf } from "../cli/household.ts";
import { agentTranscripts } from "../doubles/agent-transcripts.ts";
import { Dice } from "../doubles/dice.ts";
import { eventually } from "../doubles/eventually.ts";
import { timesAsked } from "./accounts.ts";
import { Editor } from "./editor.ts";

/** `npm run test:chaos` goes on for longer. */
const KILLS = Number(process.env.HALL_CHAOS_KILLS ?? 3);
const SEED = Number(process.env.HALL_CHAOS_SEED ?? Date.now() % 1e6);

/** How the hall ends, and what its agents are like: a process each, one for all sessions, kept warm. */
const ENDS = ["SIGKILL", "SIGKILL", "SIGTERM"] as const;
const SLOTS = ["own", "shared", "warm"] as const;

describe("editors behind hall acp, and a hall and agents that are killed", () => {
  it(
    `lose nothing, and run nothing twice: ${KILLS} restarts, HALL_CHAOS_SEED=${SEED}`,
    async () => {
      const dice = new Dice(SEED);
      const home = new Household();
      const transcripts = join(home.folder, "transcripts");
      mkdirSync(transcripts);
      const ways = (idPrefix: string) => {
        const stateFile = join(home.folder, `${idPrefix}.json`);
        return { transcript: transcripts, stateFile, idPrefix };
      };
      const slots = {
        own: { ways: ways("own") },
        shared: { ways: ways("shared"), isolation: "slot" },
        warm: { ways: ways("warm"), warm: 1 },
      };
      const roster = home.roster(slots, { cancel_grace: "500ms" });
      const serve = () => home.serve(roster, "--drain", dice.oneOf(["0s", "300ms"]));
      let hall = await serve();
      const bridges = [1, 2].map(() => home.edit("--no-start"));
      const [first, second] = bridges.map(({ editor }) => new Editor(editor));
      if (!first || !second) throw new Error("There are two.");
      const editors = [first, second] as const;
      for (const editor of editors) await editor.begin();
      const sessions: string[] = [];
      for (const slot of SLOTS) {
        const sessionId = await first.openIn(slot);
        await second.load(sessionId);
        sessions.push(sessionId);
      }
      const session = (): string => sessions[dice.below(sessions.length)] ?? "";
      let prompts = 0;
      const act = (): void => {
        const editor = dice.oneOf(editors);
        if (editor.open < 6) editor.prompt(session(), `k${prompts++}`, dice);
        if (dice.below(15) === 0) editor.cancel(session());
        if (dice.below(40) === 0) kill(dice.oneOf(["SIGKILL", "SIGTERM"]));
      };
      const kill = (signal: NodeJS.Signals): void => {
        const pids = agentTranscripts(transcripts).map(({ pid }) => pid);
        try {
          process.kill(pids[dice.below(pids.length)] ?? 0, signal);
        } catch {
          // It has ended before.
        }
      };
      for (let restart = 0; restart < KILLS; restart += 1) {
        const until = performance.now() + 200 + dice.below(1_500);
        while (performance.now() < until) {
          act();
          await setTimeout(dice.below(30));
        }
        hall.signal(dice.oneOf(ENDS));
        await hall.finished;
        // Asked, and cancelled, while there is none.
        act();
        hall = await serve();
      }
      const open = (): number => first.settle(sessions) + second.settle(sessions);
      await expect.poll(open, { timeout: 60_000, interval: 200 }).toBe(0);
      for (const editor of editors) {
        for (const sessionId of sessions) {
          const file = join(home.folder, ".hall", "sessions", sessionId, "updates.jsonl");
          // What the other one's last turn told may still be on its way.
          await eventually(
            () => editor.held(sessionId).length - editor.toHold(readFileSync(file)).length,
          ).toBe(0);
          expect(editor.held(sessionId), "what an editor holds").toEqual(editor.toHold(readFileSync(file)));
        }
        const times = timesAsked(transcripts, [...editor.outcomes.keys()]);
        for (const [key, outcome] of editor.outcomes) {
          if (outcome === "end_turn") expect(times.get(key), `${key} ran once`).toBe(1);
          else expect(times.get(key), `${key} ran once at most (${outcome})`).toBeLessThanOrEqual(1);
        }
      }
      const outcomes = new Set(editors.flatMap((editor) => [...editor.outcomes.values()]));
      const known = ["end_turn", "cancelled", "interrupted", "agent_exited"];
      expect([...outcomes].filter((outcome) => !known.includes(outcome))).toEqual([]);
      hall.signal("SIGTERM");
      expect((await hall.finished).code).toBe(0);
      for (const { acp, editor } of bridges) {
        editor.destroy();
        await acp.finished;
      }
      expect(leftOf(home)).toEqual([]);
    },
    60_000 + 20_000 * KILLS,
  );
});

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { connectSocket } from "../../src/wire/tcp.ts";
import { Household, leftOf } from "../cli/household.ts";
import type { Running } from "../cli/running.ts";
import { Dice } from "../doubles/dice.ts";
import { agentCommand } from "../doubles/scripted-agent/command.ts";
import { settleAccounts } from "./accounts.ts";
import { Person } from "./person.ts";
import { TroubledProxy } from "./troubled-proxy.ts";
import { chaoticTurn } from "./turns.ts";

/** Seconds; `npm run test:chaos` takes an hour. */
const LENGTH = Number(process.env.HALL_CHAOS_SECONDS ?? 8);
const SEED = Number(process.env.HALL_CHAOS_SEED ?? Date.now() % 1e6);
/** A hall's life, in ms, but for the last one: some are short, so that ends fall together with everything else. */
const LIVES = LENGTH < 60 ? [2_500] : [2_500, 10_000, 120_000];
/** What a hall may grow in a life, once it has warmed up; looked at in those that are long enough. */
const GROWTH_BYTES = 32 * 2 ** 20;
const WARM_MS = 30_000;

const PIPE = join(import.meta.dirname, "troubled-pipe.mjs");

/** The hall's own memory; undefined where the system does not show it. */
function memoryOf({ pid }: Running): number | undefined {
  if (process.platform !== "linux") return undefined;
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** Asks without end: what crashes, hangs and babbles among it; what hangs is cancelled until it has ended. */
function keepAsking(people: readonly Person[], dice: Dice): () => void {
  const endless = new Map<string, Person>();
  let prompts = 0;
  return () => {
    for (const [key, person] of endless) {
      if (person.outcomeOf(key) !== undefined) endless.delete(key);
      else if (dice.below(30) === 0) person.cancel(key);
    }
    for (const person of people) {
      if (person.open >= 4) continue;
      const key = `k${prompts++}`;
      const turn = chaoticTurn(key, dice);
      if (turn.endless) endless.set(key, person);
      void person.prompt(key, turn.steps);
    }
  };
}

describe("a hall between bad lines, with bad agents, that is killed now and then", () => {
  it(
    `answers each request once, in order, and loses nothing: ${LENGTH} s, HALL_CHAOS_SEED=${SEED}`,
    async () => {
      const dice = new Dice(SEED);
      const home = new Household();
      const transcripts = join(home.folder, "transcripts");
      mkdirSync(transcripts);
      const ways = { transcript: transcripts, stateFile: join(home.folder, "agent.json") };
      const command = [process.execPath, PIPE, String(SEED), ...agentCommand(ways)];
      const roster = home.roster({ only: { command } }, { cancel_grace: "300ms" });
      const [socket, near] = [join(home.folder, ".hall", "hall.sock"), join(home.folder, "near.sock")];
      let hall = await home.serve(roster, "--drain", "200ms");
      const proxy = await TroubledProxy.between(near, socket, dice);
      onTestFinished(() => proxy.close());
      const people = [near, near, socket].map((path) => new Person(() => connectSocket({ path }), home.work));
      onTestFinished(async () => {
        for (const person of people) await person.end();
      });
      await Promise.all(people.map((person) => person.begin()));
      const ask = keepAsking(people, dice);
      const end = performance.now() + LENGTH * 1_000;
      while (performance.now() < end) {
        const life = performance.now() + (LIVES[dice.below(LIVES.length)] ?? 2_500);
        const warm = performance.now() + WARM_MS;
        let before: number | undefined;
        while (performance.now() < Math.min(life, end)) {
          ask();
          if (before === undefined && performance.now() > warm) before = memoryOf(hall);
          await setTimeout(10);
        }
        const after = memoryOf(hall);
        if (before !== undefined && after !== undefined) expect(after - before).toBeLessThan(GROWTH_BYTES);
        hall.signal(dice.below(3) === 0 ? "SIGTERM" : "SIGKILL");
        await hall.finished;
        hall = await home.serve(roster, "--drain", "200ms");
      }
      const rest = setInterval(() => {
        for (const person of people)
          for (const [key, outcome] of person.outcomes) if (!outcome) person.cancel(key);
      }, 500);
      onTestFinished(() => clearInterval(rest));
      await expect.poll(() => people.map(({ open }) => open), { timeout: 60_000 }).toEqual([0, 0, 0]);
      expect(proxy.cuts + people.reduce((sum, person) => sum + person.returns, 0)).toBeGreaterThan(0);
      for (const person of people) settleAccounts(person, join(home.folder, ".hall"), transcripts);
      hall.signal("SIGTERM");
      expect((await hall.finished).code).toBe(0);
      expect(leftOf(home)).toEqual([]);
    },
    LENGTH * 1_000 + 150_000,
  );
});

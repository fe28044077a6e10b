import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { isFields } from "../../src/acp/checks.ts";
import { rosterOf } from "../../src/hall/roster.ts";
import { Reload } from "../../src/server/reload.ts";
import { HallInMemory } from "../bridge/hall-in-memory.ts";
import { AcpClient } from "../doubles/acp-client.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";
import { MemoryDisk } from "../hall/memory-disk.ts";

/** A roster of two slots, of which the second may be out; `isolation: slot` is for both. */
interface Good {
  version: number;
  concurrency: number;
  second: boolean;
  shared: boolean;
}

type Deed =
  | { do: "reload"; roster: Good }
  | { do: "break"; text: string }
  | { do: "prompt"; session: number; chunks: number }
  | { do: "time"; turns: number };

const good = fc.record({
  version: fc.nat(3),
  concurrency: fc.integer({ min: 1, max: 3 }),
  second: fc.boolean(),
  shared: fc.boolean(),
});
const deeds: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 3, arbitrary: good.map((roster): Deed => ({ do: "reload", roster })) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom("", "slots: {}", "slots: [", "slots: { one: { demo: true } }\nqueue: { limit: x }")
      .map((text): Deed => ({ do: "break", text })),
  },
  {
    weight: 5,
    arbitrary: fc
      .record({ session: fc.nat(2), chunks: fc.nat(9) })
      .map((prompt): Deed => ({ do: "prompt", ...prompt })),
  },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 8 }).map((turns): Deed => ({ do: "time", turns })) },
);

const slotOf = ({ version, concurrency, shared }: Good) => ({
  command: ["agent-in-memory"],
  args: [`version ${version}`],
  concurrency,
  cwd: tmpdir(),
  isolation: shared ? "slot" : "session",
});
const rosterIn = (folder: string, roster: Good) =>
  rosterOf(
    {
      queue: { limit: 100 },
      slots: { one: slotOf(roster), ...(roster.second ? { two: slotOf(roster) } : {}) },
    },
    { folder },
  );

/** What was asked and became of it, in the order in which it did. */
interface Answer {
  session: number;
  prompt: number;
  outcome: string;
}

async function live(folder: string, story: readonly Deed[]) {
  const file = join(folder, "hall.yml");
  let last: Good = { version: 0, concurrency: 2, second: true, shared: false };
  const first = rosterIn(folder, last);
  writeFileSync(file, first.text, { mode: 0o600 });
  const memory = new HallInMemory(new MemoryDisk(), first);
  const { clock, hall, roster } = memory;
  const reload = new Reload({
    roster,
    hall,
    doors: { takeUp() {} },
    clock,
    environment: {},
    logLevel() {},
    noticed() {},
  });
  const startedWith: string[] = [];
  hall.events.watch((type) => {
    if (type === "turn.started") startedWith.push(`started with version ${last.version}.`);
  });
  const client = new AcpClient(memory.connect(), tmpdir());
  await client.initialize();
  const sessions: string[] = [];
  for (const slot of ["one", "one", "two"])
    sessions.push((await client.newSession({ _meta: { "hall/slot": slot } })).sessionId);

  const answers: Answer[] = [];
  const asked: Promise<void>[] = [];
  const time = async (turns: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1_000);
  };
  for (const deed of story) {
    if (deed.do === "time") await time(deed.turns);
    else if (deed.do === "prompt") {
      const { session, chunks } = deed;
      const prompt = asked.length;
      const answered = (outcome: string): number => answers.push({ session, prompt, outcome });
      asked.push(
        client.prompt(sessions[session] ?? "", JSON.stringify([{ tells: true, says: "word", chunks }])).then(
          ({ stopReason }) => void answered(stopReason),
          (error: unknown) => void answered(kindOf(error)),
        ),
      );
    } else {
      const isGood = deed.do === "reload";
      writeFileSync(file, isGood ? rosterIn(folder, deed.roster).text : deed.text);
      reload.attempt("command");
      if (isGood) last = deed.roster;
      expect("rejected" in reload.status).toBe(!isGood);
      expect(roster.now.slots.map(({ name, args }) => [name, args])).toEqual(
        rosterIn(folder, last).slots.map(({ name, args }) => [name, args]),
      );
    }
  }
  let over = false;
  const all = Promise.all(asked).then(() => {
    over = true;
  });
  while (!over) await time(4);
  await all;
  const told = sessions.flatMap((id) => client.texts(id).match(/started with version \d\./g) ?? []);
  client.destroy();
  client.check.expectNoViolations();
  reload.stop();
  return { asked: asked.length, answers, startedWith, told };
}

function kindOf(error: unknown): string {
  const data = isFields(error) ? error.data : undefined;
  return isFields(data) ? String(data.kind) : String(error);
}

it("whatever rosters come, good or broken, while turns go on: the last good one is in force, and no turn is lost", async () => {
  const folder = temporaryFolder();
  await fc.assert(
    fc.asyncProperty(fc.array(deeds, { minLength: 5, maxLength: 40 }), async (story) => {
      const { asked, answers, startedWith, told } = await live(folder, story);
      const prompts = answers.map(({ prompt }) => prompt);
      expect(prompts.toSorted((one, other) => one - other)).toEqual([...Array(asked).keys()]);
      for (const session of [0, 1, 2]) {
        const own = answers.filter((answer) => answer.session === session);
        expect(own.map(({ prompt }) => prompt)).toEqual(own.map(({ prompt }) => prompt).toSorted(byNumber));
        const outcomes = new Set(own.map(({ outcome }) => outcome));
        // Only the second slot is ever taken out.
        for (const outcome of outcomes)
          expect(session === 2 ? ["end_turn", "slot_gone"] : ["end_turn"]).toContain(outcome);
      }
      // Each ran by the definition that was in force when it began.
      expect(told.toSorted()).toEqual(startedWith.toSorted());
    }),
    { numRuns: 25 },
  );
});

const byNumber = (one: number, other: number): number => one - other;

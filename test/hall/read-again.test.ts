import { assert, boolean, constantFrom, nat, property, array as sequence } from "fast-check";
import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { Journal } from "../../src/hall/journal.ts";
import { LineFile } from "../../src/hall/line-file.ts";
import { ReadAgain } from "../../src/hall/read-again.ts";
import { MemoryDisk } from "./memory-disk.ts";

function journalWith(lines: readonly string[]): Journal {
  const parts = { disk: new MemoryDisk(), clock: new HandClock(), noticed: () => {} };
  const journal = new Journal(new LineFile("/s/updates.jsonl", parts));
  for (const line of lines) journal.gather(Buffer.from(line));
  journal.commit();
  return journal;
}

/** Told once more, in two pieces that are cut at `at`. */
const passes = (again: ReadAgain, line: string, at: number): boolean => {
  const bytes = Buffer.from(line);
  return again.passes(bytes.subarray(0, at), bytes.subarray(at));
};

describe("what is told once more", () => {
  it("is there as far as it was told, whatever stands in between, and new from there on", () => {
    // Few different lines: most come again and again.
    const theirs = sequence(constantFrom("a", "ab", "b", '{"update":1}'), { maxLength: 40 });
    assert(
      property(theirs, nat(40), sequence(boolean(), { minLength: 41 }), nat(3), (told, count, ours, cut) => {
        const known = told.slice(0, count);
        const lines = known.flatMap((line, at) => (ours[at] ? ["our own", line] : [line]));
        const again = new ReadAgain(journalWith([...lines, "our own"]), 0);
        expect(told.map((line) => passes(again, line, Math.min(cut, line.length)))).toEqual(
          told.map((_, at) => at < known.length),
        );
      }),
    );
  });

  it("is looked for from the place on that is given, and not in what is written from now on", () => {
    const journal = journalWith(["before", "known"]);
    const again = new ReadAgain(journal, "before\n".length);
    expect(passes(again, "before", 0)).toBe(false);
    journal.gather(Buffer.from("before"));
    journal.commit();
    expect(passes(again, "before", 2)).toBe(false);
    expect(passes(again, "known", 2)).toBe(true);
    expect(passes(again, "known", 2)).toBe(false);
  });

  it("is found behind more than is read in one go", () => {
    const long = "x".repeat(300 * 1024);
    const again = new ReadAgain(journalWith([long, "short", long, "last"]), 0);
    expect(["short", long, "last", "last"].map((line) => passes(again, line, 1))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});

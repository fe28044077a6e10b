import { assert, property, array as sequence, string, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { Journal } from "../../src/hall/journal.ts";
import { LineFile } from "../../src/hall/line-file.ts";
import { full, MemoryDisk } from "./memory-disk.ts";

const PATH = "/s/updates.jsonl";

function journalOf() {
  const disk = new MemoryDisk();
  const journal = new Journal(new LineFile(PATH, { disk, clock: new HandClock(), noticed: () => {} }));
  return { journal, disk, raw: () => `${disk.files.get(PATH) ?? ""}` };
}

describe("a journal", () => {
  it("writes what was gathered at once, and says where it stands", () => {
    const { journal, disk, raw } = journalOf();
    journal.gather(Buffer.from("one"));
    journal.gather(Buffer.from('{"a":'), Buffer.from("1}"));
    expect([journal.gatheredBytes, journal.end, raw()]).toEqual([12, 0, ""]);
    disk.writes = [];
    const first = journal.commit();
    expect(first).toMatchObject({ from: 0, to: 12 });
    expect(`${first?.bytes}`).toBe('one\n{"a":1}\n');
    journal.gather(Buffer.from("two"));
    expect(journal.commit()).toMatchObject({ from: 12, to: 16 });
    expect([raw(), journal.end, journal.gatheredBytes]).toEqual(['one\n{"a":1}\ntwo\n', 16, 0]);
  });

  it("writes nothing where nothing was gathered", () => {
    const { journal, disk } = journalOf();
    expect(journal.commit()).toBeUndefined();
    expect(disk.files.size).toBe(0);
  });

  it("loses what could not be written, says why in a sentence, and goes on", () => {
    const { journal, disk, raw } = journalOf();
    journal.gather(Buffer.from("kept"));
    journal.commit();
    journal.gather(Buffer.from("lost"));
    disk.writes = [3, full()];
    expect(() => journal.commit()).toThrow(
      expect.objectContaining({ kind: "journal_failed", message: expect.stringContaining("ENOSPC") }),
    );
    expect([raw(), journal.end, journal.gatheredBytes]).toEqual(["kept\n", 5, 0]);
    expect(journal.commit()).toBeUndefined();
    journal.gather(Buffer.from("next"));
    expect(journal.commit()).toMatchObject({ from: 5, to: 10 });
    expect(raw()).toBe("kept\nnext\n");
  });

  it("hands its batches on for good: what is gathered later changes none of them", () => {
    const lines = sequence(tuple(string(), string()), { minLength: 1, maxLength: 8 });
    assert(
      property(sequence(lines, { maxLength: 8 }), (batches) => {
        const { journal, raw } = journalOf();
        const handed = batches.map((batch) => {
          for (const [first, rest] of batch) journal.gather(Buffer.from(first), Buffer.from(rest));
          return journal.commit();
        });
        const whole = Buffer.concat(handed.map((batch) => batch?.bytes ?? Buffer.alloc(0)));
        expect(whole.toString()).toBe(
          batches
            .flat()
            .map((parts) => `${parts.join("")}\n`)
            .join(""),
        );
        expect(raw()).toBe(whole.toString());
        for (const batch of handed) {
          if (!batch) continue;
          expect(whole.subarray(batch.from, batch.to).equals(batch.bytes)).toBe(true);
        }
      }),
    );
  });
});

import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Ledger } from "../../src/agents/ledger.ts";
import { type Disk, realDisk } from "../../src/ground/disk.ts";
import { diskWriting } from "./failing-disk.ts";

describe("the ledger", () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "hall-ledger-"));
    file = join(folder, "processes.jsonl");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** What a hall does: opens it, works with it, and is gone. */
  function hall<Result>(work: (ledger: Ledger) => Result, disk: Disk = realDisk, state = "s"): Result {
    const ledger = new Ledger(disk, folder, state);
    try {
      return work(ledger);
    } finally {
      ledger.close();
    }
  }

  const open = (ledger: Ledger): unknown => ledger.orphans.map((orphan) => ({ ...orphan }));
  const child = { pid: 100, startTime: "7@boot" };

  it("never gives a number twice, over any number of halls", () => {
    expect(hall((ledger) => [ledger.begin("a"), ledger.begin("b")])).toEqual([1, 2]);
    expect(hall((ledger) => [ledger.begin("a")])).toEqual([3]);
    hall((ledger) => [1, 2, 3].map((number) => ledger.ended(number)));
    hall(() => {});
    expect(hall((ledger) => [ledger.begin("a")])).toEqual([4]);
  });

  it("has the number on disk before it gives it", () => {
    hall((ledger) => {
      const number = ledger.begin("a");
      expect(readFileSync(file, "utf8")).toContain(`{"n":${number},"slot":"a"}\n`);
    });
  });

  it("tells the next hall what was open, with the process where it was known", () => {
    hall((ledger) => {
      ledger.begin("a");
      ledger.spawned(ledger.begin("b"), child);
      const over = ledger.begin("c");
      ledger.spawned(over, child);
      ledger.ended(over);
    });
    const orphans = [
      { number: 1, slot: "a", process: undefined },
      { number: 2, slot: "b", process: child },
    ];
    expect(hall(open)).toEqual(orphans);
    expect(hall(open)).toEqual(orphans);
    hall((ledger) => [1, 2].map((number) => ledger.ended(number)));
    expect(hall(open)).toEqual([]);
  });

  it("takes the lines of another state id for somebody else's, but not their numbers", () => {
    hall((ledger) => ledger.spawned(ledger.begin("a"), child));
    expect(hall((ledger) => [open(ledger), ledger.begin("b")], realDisk, "copy")).toEqual([[], 2]);
    expect(hall((ledger) => [open(ledger), ledger.begin("b")], realDisk, "s")).toEqual([[], 3]);
  });

  it("says nothing of a line that is torn or damaged, and keeps the others", () => {
    hall((ledger) => {
      ledger.spawned(ledger.begin("a"), child);
      ledger.begin("b");
    });
    appendFileSync(
      file,
      '\0\0\n[]\nnull\n7\n{"n":"x"}\n{"n":-1}\n{"n":2.5,"ended":true}\n{"n":2,"pid":5,"sta',
    );
    expect(hall(open)).toEqual([
      { number: 1, slot: "a", process: child },
      { number: 2, slot: "b", process: undefined },
    ]);
    expect(hall((ledger) => ledger.begin("c"))).toBe(3);
  });

  it("survives being cut anywhere, and gives no number that its whole lines show", () => {
    hall((ledger) => {
      for (const slot of ["a", "b", "c"]) ledger.spawned(ledger.begin(slot), child);
      ledger.ended(2);
    });
    const whole = readFileSync(file);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: whole.length }), (length) => {
        writeFileSync(file, whole.subarray(0, length));
        const shown = [
          ...whole
            .subarray(0, length)
            .toString()
            .matchAll(/"n":(\d+).*\n/g),
        ].map(([, n]) => Number(n));
        expect(hall((ledger) => ledger.begin("x"))).toBeGreaterThan(Math.max(0, ...shown));
      }),
    );
  });

  it("stays short, and true, however many processes come and go", () => {
    hall((ledger) => {
      const lasting = ledger.begin("lasting");
      ledger.spawned(lasting, child);
      for (let index = 0; index < 2000; index++) {
        const number = ledger.begin("short");
        ledger.spawned(number, child);
        ledger.ended(number);
      }
      expect(readFileSync(file, "utf8").split("\n").length).toBeLessThan(1100);
    });
    expect(hall((ledger) => [open(ledger), ledger.begin("next")])).toEqual([
      [{ number: 1, slot: "lasting", process: child }],
      2002,
    ]);
  });

  describe("on a disk that fails", () => {
    let room = Number.POSITIVE_INFINITY;
    /** Takes so many bytes, then no more. */
    const full = diskWriting((write) => (bytes, offset, length, position) => {
      if (room === 0) throw new Error("ENOSPC");
      const taken = write(bytes, offset, Math.min(length, room), position);
      room -= taken;
      return taken;
    });

    it("gives no number that it could not write, and leaves no half line", () => {
      for (let bytes = 0; bytes < 19; bytes++) {
        hall((ledger) => {
          room = bytes;
          expect(() => ledger.begin("a")).toThrow("ENOSPC");
          room = Number.POSITIVE_INFINITY;
          expect(readFileSync(file, "utf8").endsWith("}\n")).toBe(true);
        }, full);
        expect(hall(open)).toEqual([]);
      }
      hall((ledger) => expect(ledger.begin("a")).toBe(1), full);
    });

    it("takes a short write for what it is, and writes the rest", () => {
      let turn = 0;
      const short = diskWriting(
        (write) => (bytes, offset, length, position) => write(bytes, offset, 1 + (turn++ % length), position),
      );
      hall((ledger) => ledger.spawned(ledger.begin("a"), child), short);
      expect(hall(open)).toEqual([{ number: 1, slot: "a", process: child }]);
    });

    it("goes on with the long file when it cannot be written anew", () => {
      let replaces = 0;
      const stubborn: Disk = {
        ...realDisk,
        replace: (path, content) => {
          if (++replaces > 1) throw new Error("ENOSPC");
          realDisk.replace(path, content);
        },
      };
      hall((ledger) => {
        for (let index = 0; index < 1500; index++) ledger.ended(ledger.begin("a"));
        ledger.begin("b");
      }, stubborn);
      expect(replaces).toBeGreaterThan(1);
      expect(hall(open)).toEqual([{ number: 1501, slot: "b", process: undefined }]);
    });
  });
});

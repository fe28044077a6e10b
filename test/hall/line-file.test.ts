import { assert, constantFrom, integer, nat, oneof, property, array as sequence, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { LineFile } from "../../src/hall/line-file.ts";
import { full, MemoryDisk } from "./memory-disk.ts";

const PATH = "/s/updates.jsonl";
const lines = (...texts: string[]): Buffer => Buffer.from(texts.map((text) => `${text}\n`).join(""));

function fileOf(content = "", disk = new MemoryDisk()) {
  const clock = new HandClock();
  const noticed: string[] = [];
  if (content !== "") disk.files.set(PATH, Buffer.from(content));
  const file = new LineFile(PATH, { disk, clock, noticed: (what) => noticed.push(what) });
  return { file, disk, clock, noticed, raw: () => `${disk.files.get(PATH)}` };
}

const all = (file: LineFile): string => file.read(0, file.end).toString();
const settled = async (): Promise<void> => {
  for (let turns = 0; turns < 10; turns += 1) await Promise.resolve();
};

describe("a file of lines", () => {
  it("grows by whole lines, and says where they begin", () => {
    const { file, raw } = fileOf();
    expect([file.append(lines("one", "two")), file.append(lines("three"))]).toEqual([0, 8]);
    expect(file.end).toBe(14);
    expect(raw()).toBe("one\ntwo\nthree\n");
  });

  it("goes on behind what is there", () => {
    const { file, raw } = fileOf("one\n");
    expect(file.append(lines("two"))).toBe(4);
    expect(raw()).toBe("one\ntwo\n");
    expect(file.tornBytes).toBe(0);
  });

  it.each([
    ["a torn last line", "one\ntwo\nthr", "one\ntwo\n", 3],
    ["nothing but a torn line", "on", "", 2],
    ["a torn line longer than is looked at in one go", `one\n${"x".repeat(200_000)}`, "one\n", 200_000],
    ["zeros that a crash left", "one\n\0\0\0\0", "one\n", 4],
  ])("cuts off %s when it is first looked at", (_name, content, kept, torn) => {
    const { file, raw } = fileOf(content);
    expect(file.end).toBe(kept.length);
    expect(file.tornBytes).toBe(torn);
    expect(raw()).toBe(kept);
    file.append(lines("next"));
    expect(raw()).toBe(`${kept}next\n`);
  });

  it("knows where lines begin", () => {
    const { file } = fileOf("one\n\u00e9\n");
    const starts = [0, 1, 2, 3, 4, 5, 6, 7, 8].filter((position) => file.isLineStart(position));
    expect(starts).toEqual([0, 4, 7]);
  });
});

describe("reading", () => {
  it("gives whole lines: as many as fit, or one that is longer", () => {
    const { file } = fileOf("one\ntwo\nthirteen\nfour\n");
    expect(`${file.read(0, 22, 9)}`).toBe("one\ntwo\n");
    expect(`${file.read(8, 22, 3)}`).toBe("thirteen\n");
    expect(`${file.read(4, 8)}`).toBe("two\n");
    expect(`${file.read(22, 100)}`).toBe("");
    expect(`${file.read(17, 1_000_000, 1_000_000)}`).toBe("four\n");
  });

  it("comes, share by share, to all that is there, whatever the share", () => {
    assert(
      property(
        sequence(nat({ max: 300 }), { maxLength: 30 }),
        integer({ min: 0, max: 400 }),
        (lengths, share) => {
          const content = lengths.map((length) => `${"x".repeat(length)}\n`).join("");
          const { file } = fileOf(content);
          let read = "";
          for (let cursor = 0; cursor < file.end; ) {
            const piece = file.read(cursor, file.end, share);
            expect(piece.at(-1)).toBe(0x0a);
            expect(piece.length <= Math.max(share, 1) || piece.indexOf(0x0a) === piece.length - 1).toBe(true);
            read += piece;
            cursor += piece.length;
          }
          expect(read).toBe(content);
        },
      ),
    );
  });
});

describe("a write", () => {
  it("that the kernel takes in pieces is whole", () => {
    const { file, disk, raw } = fileOf();
    disk.writes = [1, 2, 3];
    file.append(lines("one", "two"));
    expect(raw()).toBe("one\ntwo\n");
  });

  it.each<[string, (disk: MemoryDisk) => void]>([
    ["at once", (disk) => disk.writes.push(full())],
    ["in the middle of a line", (disk) => disk.writes.push(6, full())],
    ["behind a whole line", (disk) => disk.writes.push(4, full())],
    ["by taking nothing more", (disk) => disk.writes.push(6, 0)],
  ])("that fails %s leaves the file as it was, and the next one goes through", (_name, fail) => {
    const { file, disk, raw } = fileOf("zero\n");
    fail(disk);
    expect(() => file.append(lines("one", "two"))).toThrow(/ENOSPC|no more bytes/);
    expect([file.end, raw(), all(file)]).toEqual([5, "zero\n", "zero\n"]);
    expect(file.append(lines("three"))).toBe(5);
    expect(raw()).toBe("zero\nthree\n");
  });

  it("that can neither be finished nor taken back shows nothing of itself, and no other begins before it is", () => {
    const { file, disk, raw } = fileOf("zero\n");
    disk.writes = [6, full()];
    disk.truncates = [full(), full()];
    expect(() => file.append(lines("one", "two"))).toThrow("could not be taken back");
    expect([file.end, all(file)]).toEqual([5, "zero\n"]);
    expect(() => file.append(lines("three"))).toThrow("could not be taken back");
    expect(all(file)).toBe("zero\n");
    file.append(lines("four"));
    expect([all(file), raw()]).toEqual(["zero\nfour\n", "zero\nfour\n"]);
  });

  it("shows whole lines only, in order, none half and none lost, whatever the disk does", () => {
    const fate = oneof(constantFrom<"full" | number>("full", 0), integer({ min: 1, max: 20 }));
    const step = tuple(
      sequence(nat({ max: 12 }), { minLength: 1, maxLength: 4 }),
      sequence(fate, { maxLength: 4 }),
      integer({ min: 0, max: 2 }),
    );
    assert(
      property(sequence(step, { maxLength: 15 }), (steps) => {
        const { file, disk, raw } = fileOf();
        let kept = "";
        let count = 0;
        for (const [lengths, fates, uncut] of steps) {
          disk.writes = fates.map((one) => (one === "full" ? full() : one));
          disk.truncates = Array.from({ length: uncut }, full);
          const batch = lines(...lengths.map((length) => `${++count}${"x".repeat(length)}`));
          const end = file.end;
          try {
            expect(file.append(batch)).toBe(end);
            kept += batch;
          } catch {
            // It was not written, as the rest of this holds it to.
          }
          expect([file.end, all(file)]).toEqual([kept.length, kept]);
          expect(raw().startsWith(kept)).toBe(true);
          const nextRun = all(fileOf(raw()).file);
          expect(nextRun.startsWith(kept) && /^$|\n$/.test(nextRun)).toBe(true);
        }
        expect(disk.opened).toBeLessThanOrEqual(1);
      }),
      { numRuns: 300 },
    );
  });
});

describe("the file behind it", () => {
  it("is open while it is held, and no longer", () => {
    const { file, disk } = fileOf("one\n");
    const [release, other] = [file.hold(), file.hold()];
    expect(disk.opened).toBe(0);
    all(file);
    expect(disk.opened).toBe(1);
    release();
    release();
    expect(disk.opened).toBe(1);
    other();
    expect(disk.opened).toBe(0);
    all(file);
    expect(disk.opened).toBe(0);
  });

  it("is closed for whoever holds it, which a late release does not undo", () => {
    const { file, disk } = fileOf("one\n");
    const release = file.hold();
    all(file);
    file.close();
    expect(disk.opened).toBe(0);
    const again = file.hold();
    release();
    all(file);
    expect(disk.opened).toBe(1);
    again();
    expect(disk.opened).toBe(0);
  });

  it("is synced within a second of a write, without holding anyone up, and then closed", async () => {
    const { file, disk, clock } = fileOf();
    file.append(lines("one"));
    file.append(lines("two"));
    expect([disk.synced, disk.opened]).toEqual([0, 1]);
    clock.advance(1_000);
    await settled();
    expect([disk.synced, disk.opened, clock.pending]).toEqual([1, 0, 0]);
  });

  it("is synced again for what was written while a sync was under way", async () => {
    const { file, disk, clock } = fileOf();
    let end = (): void => {};
    disk.syncsEnd = new Promise((resolve) => {
      end = resolve;
    });
    file.append(lines("one"));
    clock.advance(1_000);
    file.append(lines("two"));
    end();
    await settled();
    expect(disk.synced).toBe(1);
    clock.advance(1_000);
    await settled();
    expect([disk.synced, disk.opened]).toEqual([2, 0]);
  });

  it("is synced at once on demand: also what a sync under way has not yet brought there", () => {
    const { file, disk, clock } = fileOf();
    disk.syncsEnd = new Promise(() => {});
    file.append(lines("one"));
    clock.advance(1_000);
    file.sync();
    expect(disk.synced).toBe(1);
  });

  it("is not opened to sync what is there already", () => {
    const { file, disk } = fileOf("one\n");
    file.sync();
    file.append(lines("two"));
    file.sync();
    file.sync();
    expect(disk.synced).toBe(1);
  });

  it("is known not to be synced when a sync failed: the next one tries again", async () => {
    const { file, disk, clock, noticed } = fileOf();
    disk.syncs = [full(), full()];
    file.append(lines("one"));
    clock.advance(1_000);
    await settled();
    expect(noticed).toEqual([`${PATH} could not be synced`]);
    expect([disk.opened, clock.pending]).toEqual([0, 0]);
    expect(() => file.sync()).toThrow("ENOSPC");
    file.sync();
    expect(disk.synced).toBe(1);
  });

  it("that was closed while a sync was under way is not missed by it", async () => {
    const { file, disk, clock, noticed } = fileOf();
    let end = (): void => {};
    disk.syncsEnd = new Promise((resolve) => {
      end = resolve;
    });
    disk.syncs = [full()];
    file.append(lines("one"));
    clock.advance(1_000);
    file.close();
    end();
    await settled();
    expect([disk.opened, clock.pending, noticed]).toEqual([0, 0, []]);
  });

  it("leaves no alarm behind when it is closed", () => {
    const { file, clock } = fileOf();
    file.append(lines("one"));
    file.close();
    expect(clock.pending).toBe(0);
  });
});

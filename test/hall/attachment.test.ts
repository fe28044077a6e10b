import {
  assert,
  boolean,
  constant,
  constantFrom,
  nat,
  oneof,
  property,
  record,
  array as sequence,
} from "fast-check";
import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { Attachment, type Reader } from "../../src/hall/attachment.ts";
import { Journal } from "../../src/hall/journal.ts";
import { LineFile } from "../../src/hall/line-file.ts";
import { full, MemoryDisk } from "./memory-disk.ts";

/** A session's journal and one client that reads it, which can be held up. */
class Reading implements Reader {
  readonly disk = new MemoryDisk();
  readonly journal: Journal;
  readonly attachment: Attachment;
  blocked = false;
  /** What the client got, in order: texts, and what was posted. */
  readonly got: string[] = [];
  onWrite: (bytes: Buffer) => void = () => {};
  #lags = false;

  constructor(before = "", cursor?: number) {
    this.disk.files.set("/j", Buffer.from(before));
    this.journal = new Journal(
      new LineFile("/j", { disk: this.disk, clock: new HandClock(), noticed: () => {} }),
    );
    this.attachment = new Attachment(this.journal, this, cursor ?? this.journal.end);
  }

  write(lines: Buffer): void {
    this.got.push(lines.toString());
    this.onWrite(lines);
  }

  lags(): void {
    this.#lags = true;
  }

  /** Has its turns for as long as there is room and something to read. */
  pump(): void {
    while (this.#lags && !this.blocked) this.#lags = this.attachment.pump();
  }

  /** Writes lines as one batch. False: they could not be written. */
  append(...texts: string[]): boolean {
    for (const text of texts) this.journal.gather(Buffer.from(text));
    try {
      const batch = this.journal.commit();
      if (batch) this.attachment.advance(batch);
      return true;
    } catch {
      return false;
    }
  }

  /** Writes lines that the client sent itself. */
  appendOwn(...texts: string[]): boolean {
    const from = this.journal.end;
    const takeBack = this.attachment.skip(
      from,
      from + Buffer.byteLength(texts.map((text) => `${text}\n`).join("")),
    );
    const written = this.append(...texts);
    if (!written) takeBack();
    return written;
  }

  post(word: string, after = this.journal.end): () => boolean {
    return this.attachment.post(after, () => this.got.push(`<${word}>`));
  }
}

describe("a client that keeps up", () => {
  it("gets each batch as it is written, and what is posted behind it, at once", () => {
    const reading = new Reading("old\n");
    reading.append("one", "two");
    reading.post("said");
    reading.append("three");
    expect(reading.got).toEqual(["one\ntwo\n", "<said>", "three\n"]);
    expect(reading.attachment.lagBytes).toBe(0);
  });

  it("is not told what it said itself", () => {
    const reading = new Reading();
    reading.appendOwn("mine", "mine too");
    reading.append("theirs");
    expect(reading.got).toEqual(["theirs\n"]);
  });

  it("loses nothing of a batch that is only in part its own", () => {
    const reading = new Reading();
    reading.attachment.skip(4, 9);
    reading.append("one", "mine", "two");
    reading.pump();
    expect(reading.got.join("")).toBe("one\ntwo\n");
  });

  it("is told what stands where its own words would have stood, had they been written", () => {
    const reading = new Reading();
    reading.disk.writes = [full()];
    expect(reading.appendOwn("mine")).toBe(false);
    reading.append("else");
    expect(reading.got).toEqual(["else\n"]);
  });
});

describe("a client that lags", () => {
  it("gets nothing while it takes nothing, and then all of it from the file", () => {
    const reading = new Reading();
    reading.blocked = true;
    reading.append("one");
    reading.append("two");
    expect([reading.got, reading.attachment.lagBytes]).toEqual([[], 8]);
    expect(reading.post("behind two")()).toBe(true);
    reading.post("said");
    reading.append("three");
    reading.pump();
    expect(reading.got).toEqual([]);
    reading.blocked = false;
    reading.pump();
    expect(reading.got).toEqual(["one\ntwo\n", "<said>", "three\n"]);
    reading.append("four");
    expect(reading.got.at(-1)).toBe("four\n");
  });

  it("is read to in shares of whole lines, a longer line as a whole", () => {
    const long = "x".repeat(300_000);
    const reading = new Reading(`${"y\n".repeat(200_000)}${long}\nend\n`, 0);
    expect(reading.attachment.pump()).toBe(true);
    expect(reading.got.join("").length).toBe(256 * 1024);
    while (reading.attachment.pump());
    expect(reading.got.join("")).toBe(`${"y\n".repeat(200_000)}${long}\nend\n`);
    expect(reading.got).toContain(`${long}\n`);
  });

  it("holds the file open until it has caught up, or has left", () => {
    const reading = new Reading("one\n", 0);
    reading.blocked = true;
    reading.pump();
    void reading.journal.end;
    reading.blocked = false;
    reading.pump();
    expect(reading.disk.opened).toBe(0);
    reading.attachment.rewind(0);
    reading.attachment.detach();
    expect(reading.disk.opened).toBe(0);
  });

  it("is not waited for at a place that a damaged journal has lost", () => {
    const reading = new Reading("one\ntwo\n", 0);
    reading.post("within a line", 6);
    reading.post("past the end", 1_000_000);
    reading.pump();
    expect(reading.got).toEqual(["one\n", "two\n", "<within a line>", "<past the end>"]);
    expect(reading.attachment.pump()).toBe(false);
  });
});

describe("a client that begins again", () => {
  it("reads from there, less what it said itself, and what was posted waits for its place", () => {
    const reading = new Reading("one\n", 4);
    reading.appendOwn("mine");
    reading.append("two");
    reading.got.length = 0;
    reading.attachment.rewind(0);
    reading.post("loaded");
    reading.append("three");
    reading.pump();
    expect(reading.got).toEqual(["one\n", "two\n", "<loaded>", "three\n"]);
  });
});

describe("a client that leaves", () => {
  it("is told at once what was still to be said, and nothing more", () => {
    const reading = new Reading();
    reading.blocked = true;
    reading.append("one");
    reading.post("an answer");
    reading.post("taken back")();
    reading.attachment.detach();
    expect(reading.got).toEqual(["<an answer>"]);
    reading.append("two");
    reading.blocked = false;
    expect(reading.attachment.pump()).toBe(false);
    expect(reading.got).toEqual(["<an answer>"]);
  });

  it("may leave by what is posted: what is posted behind that is still said, once", () => {
    const reading = new Reading();
    reading.blocked = true;
    for (const word of ["first", "second"]) {
      reading.attachment.post(0, () => {
        reading.got.push(word);
        reading.attachment.detach();
      });
    }
    reading.post("third");
    reading.blocked = false;
    reading.pump();
    expect(reading.got).toEqual(["first", "second", "<third>"]);
  });
});

describe("whatever happens", () => {
  const lengths = sequence(oneof({ weight: 8, arbitrary: nat({ max: 9 }) }, constant(200_000)), {
    minLength: 1,
    maxLength: 3,
  });
  const step = oneof(
    record({ what: constantFrom("append", "append", "own"), lengths, fails: boolean() }),
    record({ what: constantFrom("block", "unblock", "pump", "post", "post early", "take back") }),
    record({ what: constant("rewind"), line: nat({ max: 20 }) }),
  );

  /** What the client has read, held against the journal byte by byte as it comes. */
  class Reckoning {
    readonly reading = new Reading("old\nolder\n", 4);
    /** The client's position: everything before it, it has or is not to get. */
    position = 4;
    readonly own: { from: number; to: number }[] = [];
    readonly waiting: { word: string; after: number; latest: number; takeBack: () => boolean }[] = [];
    count = 0;

    constructor() {
      this.reading.onWrite = (bytes) => {
        let rest = bytes;
        while (rest.length > 0) {
          this.position = this.passed;
          const until = this.own.find(({ from }) => from >= this.position)?.from ?? Infinity;
          const piece = rest.subarray(0, until - this.position);
          expect(this.content.subarray(this.position, this.position + piece.length).equals(piece)).toBe(true);
          this.position += piece.length;
          rest = rest.subarray(piece.length);
        }
      };
    }

    get content(): Buffer {
      return this.reading.disk.files.get("/j") ?? Buffer.alloc(0);
    }

    /** Where the client stands, its own words behind that counted as read. */
    get passed(): number {
      return this.own.reduce((at, { from, to }) => (from <= at && at < to ? to : at), this.position);
    }

    post(after: number): void {
      const word = `${++this.count}`;
      const latest = Math.max(this.passed, after, ...this.waiting.map((posted) => posted.latest));
      const takeBack = (): boolean => take();
      const entry = { word, after, latest, takeBack };
      this.waiting.push(entry);
      const take = this.reading.attachment.post(after, () => {
        // In the order of the posts, none before its place and none behind it.
        expect(this.waiting.shift()).toBe(entry);
        expect(this.position).toBeLessThanOrEqual(entry.latest);
        expect(this.passed).toBeGreaterThanOrEqual(after);
      });
    }

    takeBack(): void {
      const last = this.waiting.at(-1);
      if (!last) return;
      expect(last.takeBack()).toBe(true);
      this.waiting.pop();
    }

    append(sizes: readonly number[], isOwn: boolean, fails: boolean): void {
      const texts = sizes.map((size) => `${++this.count}`.padEnd(size, "x"));
      if (fails) this.reading.disk.writes = [1, full()];
      const from = this.reading.journal.end;
      const length = Buffer.byteLength(texts.map((text) => `${text}\n`).join(""));
      if (isOwn && !fails) this.own.push({ from, to: from + length });
      expect(isOwn ? this.reading.appendOwn(...texts) : this.reading.append(...texts)).toBe(!fails);
    }

    lineStart(line: number): number {
      const starts = [0, ...[...this.content.toString().matchAll(/\n/g)].map(({ index }) => index + 1)];
      return starts[line % starts.length] ?? 0;
    }

    rewind(line: number): void {
      const to = this.lineStart(line);
      this.position = to;
      for (const posted of this.waiting) posted.latest = Infinity;
      this.reading.attachment.rewind(to);
    }
  }

  it("a client gets the journal from its cursor on, less its own words, and what is posted in its place", () => {
    assert(
      property(sequence(step, { maxLength: 40 }), (steps) => {
        const reckoning = new Reckoning();
        const { reading } = reckoning;
        for (const one of steps) {
          if ("lengths" in one) reckoning.append(one.lengths, one.what === "own", one.fails);
          else if ("line" in one) reckoning.rewind(one.line);
          else if (one.what === "post") reckoning.post(reading.journal.end);
          else if (one.what === "post early") reckoning.post(reckoning.lineStart(7));
          else if (one.what === "take back") reckoning.takeBack();
          else if (one.what === "pump") reading.pump();
          else reading.blocked = one.what === "block";
        }
        reading.blocked = false;
        reading.pump();
        expect(reckoning.passed).toBe(reading.journal.end);
        expect(reckoning.waiting).toEqual([]);
        // Only the sync that is due keeps the file open.
        expect(reading.disk.opened).toBeLessThanOrEqual(1);
      }),
      { numRuns: 1000 },
    );
  });
});

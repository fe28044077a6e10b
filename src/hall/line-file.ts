import type { Cancel, Clock } from "../ground/clock.ts";
import type { Disk, OpenFile } from "../ground/disk.ts";

const NEWLINE = 0x0a;
const SCAN_BYTES = 64 * 1024;
/** `durability: process`: what was written is in the kernel at once, and on the platter within this. */
const SYNC_WITHIN_MS = 1_000;

export interface LineFileParts {
  disk: Disk;
  clock: Clock;
  /** Something failed that nobody waited for: a sync, a close. */
  noticed(what: string, error: unknown): void;
}

/**
 * A file of lines that only grows. A write is whole or it is not there: what fails midway is cut back, and a
 * torn last line, left by a crash, is cut off when the file is first looked at. Positions are byte offsets.
 * The file is open only while someone holds it.
 */
export class LineFile {
  readonly path: string;
  /** Bytes of a torn last line that were cut off when the file was first looked at. */
  tornBytes = 0;
  readonly #parts: LineFileParts;
  readonly #holders = new Set<symbol>();
  #file: OpenFile | undefined;
  #end: number | undefined;
  /** A failed write could not be cut back: nothing is written before it is. */
  #dirty = false;
  /** Bytes that are on the platter, as far as it is known. */
  #synced = 0;
  /** A sync is due, or under way: until then the file stays open. */
  #syncing = false;
  #stopSync: Cancel = () => {};

  constructor(path: string, parts: LineFileParts) {
    this.path = path;
    this.#parts = parts;
  }

  /** One past the last byte. */
  get end(): number {
    this.#end ??= this.#use((file) => this.#repair(file));
    return this.#end;
  }

  /** Keeps the file open until the answer is called. */
  hold(): () => void {
    const holder = Symbol("holder");
    this.#holders.add(holder);
    return () => {
      if (this.#holders.delete(holder)) this.#rest();
    };
  }

  /** Appends whole lines. Throws the disk's error; then the file is as it was. Answers where they begin. */
  append(lines: Buffer): number {
    const from = this.end;
    this.#use((file) => {
      if (this.#dirty) this.#cutBack(file, from);
      try {
        writeWhole(file, lines, from);
      } catch (error) {
        this.#dirty = true;
        this.#cutBack(file, from, error);
        throw error;
      }
      // Before the file is put down: it stays open until it is synced.
      this.#syncSoon();
    });
    this.#end = from + lines.length;
    return from;
  }

  /** Whole lines between two line starts: at most `atMost` bytes of them, or one line if that is longer. */
  read(from: number, until: number, atMost = until - from): Buffer {
    const left = Math.min(until, this.end) - from;
    if (left <= 0) return Buffer.alloc(0);
    return this.#use((file) => {
      const share = readWhole(file, from, Math.min(Math.max(atMost, 1), left));
      const last = share.lastIndexOf(NEWLINE);
      return last === -1 ? readLine(file, from, left, share.length) : share.subarray(0, last + 1);
    });
  }

  isLineStart(position: number): boolean {
    if (position === 0) return true;
    if (position > this.end) return false;
    return this.#use((file) => readWhole(file, position - 1, 1)[0] === NEWLINE);
  }

  /** To the platter, before anything else happens: all that was written and is not there yet. */
  sync(): void {
    const { end } = this;
    if (this.#synced === end) return;
    this.#use((file) => file.sync());
    this.#synced = end;
  }

  /** Closes the file whoever holds it: its session is gone. */
  close(): void {
    this.#stopSync();
    this.#syncing = false;
    this.#holders.clear();
    this.#rest();
  }

  #use<T>(work: (file: OpenFile) => T): T {
    this.#file ??= this.#parts.disk.open(this.path);
    try {
      return work(this.#file);
    } finally {
      this.#rest();
    }
  }

  #rest(): void {
    if (this.#holders.size > 0 || this.#syncing) return;
    const file = this.#file;
    this.#file = undefined;
    try {
      file?.close();
    } catch (error) {
      this.#parts.noticed(`${this.path} was not closed as it should be`, error);
    }
  }

  #repair(file: OpenFile): number {
    const size = file.size();
    let end = size;
    while (end > 0) {
      const from = Math.max(0, end - SCAN_BYTES);
      const newline = readWhole(file, from, end - from).lastIndexOf(NEWLINE);
      if (newline !== -1) {
        end = from + newline + 1;
        break;
      }
      end = from;
    }
    this.tornBytes = size - end;
    if (this.tornBytes > 0) file.truncate(end);
    this.#synced = end;
    return end;
  }

  /** Throws when the file cannot be cut: `why` is then what had gone wrong before. */
  #cutBack(file: OpenFile, end: number, why?: unknown): void {
    try {
      file.truncate(end);
    } catch (error) {
      const both = why === undefined ? error : new AggregateError([why, error]);
      throw new Error(`${this.path} holds part of a line that could not be taken back`, { cause: both });
    }
    this.#dirty = false;
  }

  #syncSoon(): void {
    if (this.#syncing) return;
    this.#syncing = true;
    this.#stopSync = this.#parts.clock.after(SYNC_WITHIN_MS, () => void this.#syncNow());
  }

  /** Never rejects: nobody waits for it. */
  async #syncNow(): Promise<void> {
    const file = this.#file;
    if (!file) return;
    const { end } = this;
    let failure: unknown;
    try {
      await file.syncSoon();
    } catch (error) {
      failure = error;
    }
    if (this.#file !== file) return;
    this.#syncing = false;
    if (failure !== undefined) this.#parts.noticed(`${this.path} could not be synced`, failure);
    else this.#synced = Math.max(this.#synced, end);
    // What was written meanwhile needs another.
    if (failure === undefined && this.#synced < this.end) this.#syncSoon();
    this.#rest();
  }
}

function writeWhole(file: OpenFile, bytes: Buffer, position: number): void {
  let written = 0;
  while (written < bytes.length) {
    const count = file.write(bytes, written, bytes.length - written, position + written);
    if (count <= 0) throw new Error("the disk took no more bytes");
    written += count;
  }
}

/** One line, within `left` bytes, that is longer than `length`. */
function readLine(file: OpenFile, from: number, left: number, length: number): Buffer {
  for (let want = length; want < left; ) {
    want = Math.min(want * 2, left);
    const bytes = readWhole(file, from, want);
    const end = bytes.indexOf(NEWLINE);
    if (end !== -1) return bytes.subarray(0, end + 1);
  }
  throw new Error(`the line that begins at byte ${from} has no end`);
}

function readWhole(file: OpenFile, from: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const count = file.read(bytes, filled, length - filled, from + filled);
    if (count <= 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

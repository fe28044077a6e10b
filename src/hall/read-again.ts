import type { Journal } from "./journal.ts";

/** Bytes of the journal that are looked at in one go. */
const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 0x0a;
const NOTHING: Buffer = Buffer.alloc(0);

/**
 * The lines that a journal already has of what is told once more: a hall behind this one was read further than we know,
 * since the hall before us was killed. Lines come again in the order in which they came; what we wrote ourselves stands
 * between them. So each that comes is there if it is found behind the one before it, and is new otherwise.
 */
export class ReadAgain {
  readonly #journal: Journal;
  readonly #end: number;
  /** Behind the last line that was found. */
  #at: number;
  #chunk: { at: number; bytes: Buffer } = { at: 0, bytes: NOTHING };

  /** `from`: where the first of the lines may stand. */
  constructor(journal: Journal, from: number) {
    this.#journal = journal;
    this.#at = from;
    this.#end = journal.end;
  }

  /** Whether the journal has this line, in up to two pieces, and it is its turn to come again. */
  passes(first: Buffer, rest: Buffer = NOTHING): boolean {
    const length = first.length + rest.length;
    for (let at = this.#at; at < this.#end; ) {
      const bytes = this.#bytesAt(at);
      const end = bytes.indexOf(NEWLINE);
      if (end === -1) return false;
      const line = bytes.subarray(0, end);
      at += end + 1;
      const isIt = end === length && line.subarray(0, first.length).equals(first);
      if (!isIt || !line.subarray(first.length).equals(rest)) continue;
      this.#at = at;
      return true;
    }
    return false;
  }

  /** From there on, with a whole line at least. */
  #bytesAt(at: number): Buffer {
    const within = at - this.#chunk.at;
    if (within < 0 || within >= this.#chunk.bytes.length)
      this.#chunk = { at, bytes: this.#journal.file.read(at, this.#end, CHUNK_BYTES) };
    return this.#chunk.bytes.subarray(at - this.#chunk.at);
  }
}

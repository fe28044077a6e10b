import { failure, type HallFailure } from "../acp/errors.ts";
import type { LineFile } from "./line-file.ts";

/** Lines that were written together, and where they stand. */
export interface Batch {
  from: number;
  /** One past the last byte. */
  to: number;
  bytes: Buffer;
}

const NEWLINE = 0x0a;
const NOTHING: Buffer = Buffer.alloc(0);

/**
 * A session's record: every update that any client gets, byte for byte, in order. Lines are gathered while
 * one read is dispatched and written at once; only then may anyone see them. A cursor is a byte position.
 */
export class Journal {
  readonly file: LineFile;
  #gathered: Buffer = NOTHING;
  #length = 0;
  /** Bytes of the last batch: the next one is likely to be about as long. */
  #usual = 0;

  constructor(file: LineFile) {
    this.file = file;
  }

  /** The cursor at the end of what is written. */
  get end(): number {
    return this.file.end;
  }

  /** Bytes that wait to be written. */
  get gatheredBytes(): number {
    return this.#length;
  }

  /** Gathers one line, in up to two pieces, without its newline. */
  gather(first: Buffer, rest: Buffer = NOTHING): void {
    this.#makeRoom(first.length + rest.length + 1);
    this.#gathered.set(first, this.#length);
    this.#length += first.length;
    this.#gathered.set(rest, this.#length);
    this.#length += rest.length;
    this.#gathered[this.#length] = NEWLINE;
    this.#length += 1;
  }

  /** Drops what was gathered: nobody has seen it. */
  forget(): void {
    this.#gathered = NOTHING;
    this.#length = 0;
  }

  /** Writes what was gathered. Throws `journal_failed`; then those lines are gone and nobody has seen them. */
  commit(): Batch | undefined {
    if (this.#length === 0) return undefined;
    // Handed on as it is: sockets may still hold it when the next read is gathered.
    const bytes = this.#gathered.subarray(0, this.#length);
    this.#usual = this.#length;
    this.forget();
    try {
      const from = this.file.append(bytes);
      return { from, to: from + bytes.length, bytes };
    } catch (error) {
      throw journalFailed(error);
    }
  }

  #makeRoom(size: number): void {
    const need = this.#length + size;
    if (need <= this.#gathered.length) return;
    const roomy = this.#length === 0 ? this.#usual * 1.25 : this.#length * 2;
    const roomier = Buffer.allocUnsafe(Math.max(need, Math.ceil(roomy)));
    this.#gathered.copy(roomier, 0, 0, this.#length);
    this.#gathered = roomier;
  }
}

export function journalFailed(error: unknown): HallFailure {
  const why = error instanceof Error ? error.message : String(error);
  return failure(
    "journal_failed",
    `The session's journal could not be written (${why}); free the disk and prompt again.`,
  );
}

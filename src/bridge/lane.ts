import { LineSplitter } from "../wire/lines.ts";
import type { Transport } from "../wire/transport.ts";

/** The longest line that any hall can be told to take; a shorter limit is the hall's own to enforce. */
const LONGEST_LINE_BYTES = 256 * 2 ** 20;
/** What may wait for a side that does not read, before the other side is no longer read either. */
const FULL_BYTES = 256 * 1024;

export interface LaneParts {
  from: Transport;
  /** Where its lines go, for now; undefined: nowhere. */
  to(): Transport | undefined;
  line(bytes: Buffer): void;
  /** All lines of one read were told: what belongs together can be written together. */
  readEnd(): void;
  /** A line is longer than any hall takes. Nothing more is told. */
  tooLong(): void;
}

/** One direction of a bridge: whole lines only, and no faster than they are taken. */
export class Lane {
  readonly #parts: LaneParts;
  readonly #lines: LineSplitter;
  #waits = false;

  constructor(parts: LaneParts) {
    this.#parts = parts;
    this.#lines = new LineSplitter(LONGEST_LINE_BYTES, parts);
  }

  /** The side that is written to is waited for: what is not read now is not missing. */
  get waits(): boolean {
    return this.#waits;
  }

  chunk(bytes: Buffer): void {
    this.#lines.push(bytes);
    this.#parts.readEnd();
    this.#holdBack();
  }

  /** The side that is read ended: a last line that lacks its newline counts too. */
  end(): void {
    this.#lines.end();
    this.#parts.readEnd();
  }

  /** The side that is read broke off: half a line goes nowhere. */
  cut(): void {
    this.#lines.stop();
  }

  #holdBack(): void {
    const to = this.#parts.to();
    if (this.#waits || !to || to.backlog < FULL_BYTES) return;
    this.#waits = true;
    this.#parts.from.pause();
    to.onDrain(() => {
      this.#waits = false;
      this.#parts.from.resume();
    });
  }
}

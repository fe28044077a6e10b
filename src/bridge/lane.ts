import { LineSplitter } from "../wire/lines.ts";
import type { Transport } from "../wire/transport.ts";

/** The longest line that any hall can be told to take; a shorter limit is the hall's own to enforce. */
const LONGEST_LINE_BYTES = 256 * 2 ** 20;
/** What may wait for a side that does not read, before the other side is no longer read either. */
const FULL_BYTES = 256 * 1024;

const NEWLINE = Buffer.from("\n");

export interface LaneParts {
  from: Transport;
  to: Transport;
  /** Sees each line on its way; the answer is what goes on. */
  pass(line: Buffer): Buffer;
  /** A line is longer than any hall takes. Nothing more goes through. */
  tooLong(): void;
}

/** One direction of a bridge: whole lines only, one write for each read, and no faster than they are taken. */
export class Lane {
  readonly #parts: LaneParts;
  readonly #lines: LineSplitter;
  #batch: Buffer[] = [];
  #waits = false;

  constructor(parts: LaneParts) {
    this.#parts = parts;
    this.#lines = new LineSplitter(LONGEST_LINE_BYTES, {
      line: (bytes) => this.#batch.push(parts.pass(bytes), NEWLINE),
      tooLong: () => parts.tooLong(),
    });
  }

  chunk(bytes: Buffer): void {
    this.#lines.push(bytes);
    this.#flush();
    this.#holdBack();
  }

  /** The side that is read ended: a last line that lacks its newline goes through too. */
  end(): void {
    this.#lines.end();
    this.#flush();
  }

  /** The side that is read broke off: half a line goes nowhere. */
  cut(): void {
    this.#lines.stop();
  }

  #flush(): void {
    if (this.#batch.length === 0) return;
    const lines = Buffer.concat(this.#batch);
    this.#batch = [];
    this.#parts.to.write(lines);
  }

  #holdBack(): void {
    const { from, to } = this.#parts;
    if (this.#waits || to.backlog < FULL_BYTES) return;
    this.#waits = true;
    from.pause();
    to.onDrain(() => {
      this.#waits = false;
      from.resume();
    });
  }
}

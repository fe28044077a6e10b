import { StringDecoder } from "node:string_decoder";

/** What a terminal printed, as `terminal/output` answers it. */
export interface Printed {
  readonly output: string;
  /** There was more, before this. */
  readonly truncated: boolean;
}

/**
 * The last `limit` bytes of what several streams print into one, as UTF-8: it begins with a whole character, and
 * what is no UTF-8 has become U+FFFD. Characters whose bytes come apart, with another stream's in between, stay
 * whole. Takes memory for twice the limit at most, whatever is printed.
 */
export class OutputTail {
  readonly #limit: number;
  /** The tail is at the end of what is used of it; before it lies what is no longer wanted. */
  #bytes: Buffer = Buffer.alloc(0);
  #used = 0;
  #dropped = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** One stream's way into it: call it with each chunk, and without one at the stream's end. */
  inlet(): (chunk?: Buffer) => void {
    const decoder = new StringDecoder("utf8");
    return (chunk) => this.#append(Buffer.from(chunk ? decoder.write(chunk) : decoder.end()));
  }

  printed(): Printed {
    let start = Math.max(0, this.#used - this.#limit);
    while (start < this.#used && isContinuation(this.#bytes[start])) start++;
    return {
      output: this.#bytes.toString("utf8", start, this.#used),
      truncated: this.#dropped || start > 0,
    };
  }

  #append(text: Buffer): void {
    const kept = text.subarray(Math.max(0, text.length - this.#limit));
    if (kept.length < text.length) this.#dropped = true;
    this.#makeRoom(kept.length);
    kept.copy(this.#bytes, this.#used);
    this.#used += kept.length;
  }

  /** Doubles as it fills; at twice the limit, what lies before the tail makes room. */
  #makeRoom(size: number): void {
    const needed = this.#used + size;
    if (needed <= this.#bytes.length) return;
    const tail = this.#bytes.subarray(Math.max(0, this.#used - this.#limit), this.#used);
    if (tail.length < this.#used) this.#dropped = true;
    const capacity = Math.min(2 * this.#limit, Math.max(2 * needed, 4096));
    const bytes = capacity > this.#bytes.length ? Buffer.alloc(capacity) : this.#bytes;
    tail.copy(bytes);
    this.#bytes = bytes;
    this.#used = tail.length;
  }
}

/** The second, third or fourth byte of a character. */
const isContinuation = (byte = 0): boolean => (byte & 0b1100_0000) === 0b1000_0000;

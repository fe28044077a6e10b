import { isValidUtf8 } from "./message.ts";

/**
 * A way through for the one kind of line that a connection is full of, when all of that kind are spelled alike:
 * `beginning`, a JSON value, `ending`. Then that value alone is parsed, and if it is one by itself the whole line is
 * valid JSON and says what it seems to say. A line that begins alike and is something else ends the shortcut: whoever
 * sent it may go on so, and trying costs more than it saves.
 */
export class Shortcut {
  readonly #beginning: string;
  readonly #ending: string;
  /** Bytes of the beginning. */
  readonly #skip: number;
  readonly #take: (value: unknown, rest: Buffer) => void;
  #misled = false;

  /** `take` gets the value, and the line from it on. */
  constructor(beginning: string, ending: string, take: (value: unknown, rest: Buffer) => void) {
    this.#beginning = beginning;
    this.#ending = ending;
    this.#skip = Buffer.byteLength(beginning);
    this.#take = take;
  }

  /** True: the line, whose text is `text`, was one of these and is taken. */
  take(line: Buffer, text: string): boolean {
    const beginning = this.#beginning;
    // A slice is compared by words, where startsWith goes by characters: with a beginning this long it shows.
    if (this.#misled || text.slice(0, beginning.length) !== beginning) return false;
    const value = text.endsWith(this.#ending) ? this.#valueIn(line, text) : undefined;
    if (value === undefined) {
      this.#misled = true;
      return false;
    }
    this.#take(value, line.subarray(this.#skip));
    return true;
  }

  /** Undefined when it is no JSON value, which itself is never undefined. */
  #valueIn(line: Buffer, text: string): unknown {
    if (!isValidUtf8(line, text)) return undefined;
    try {
      return JSON.parse(text.slice(this.#beginning.length, -this.#ending.length));
    } catch {
      return undefined;
    }
  }
}

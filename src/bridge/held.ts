import type { Ask } from "./asks.ts";

/** What the editor may say while the hall is away. */
const MESSAGES = 1_000;
const BYTES = 32 * 2 ** 20;

/** What the editor said while the hall was away, in order. */
export class Held {
  #said: (Ask | Buffer)[] = [];
  #bytes = 0;

  /** False: that would be too much. */
  add(said: Ask | Buffer): boolean {
    const { length } = said instanceof Uint8Array ? said : said.line;
    if (this.#said.length >= MESSAGES || this.#bytes + length > BYTES) return false;
    this.#said.push(said);
    this.#bytes += length;
    return true;
  }

  /** An ask is answered already. */
  remove(ask: Ask): void {
    if (!this.#said.includes(ask)) return;
    this.#said = this.#said.filter((said) => said !== ask);
    this.#bytes -= ask.line.length;
  }

  takeAll(): (Ask | Buffer)[] {
    const said = this.#said;
    this.#said = [];
    this.#bytes = 0;
    return said;
  }
}

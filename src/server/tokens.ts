import { fileStamp } from "../ground/file-stamp.ts";
import { messageOf } from "../ground/thrown.ts";
import type { Token } from "./token.ts";
import { readTokens } from "./token-file.ts";

/** Those who may come in, as the tokens file says at this moment. */
export class Tokens {
  readonly #file: () => string;
  /** The file cannot be used: until it can, nobody comes in. */
  readonly #noticed: (what: string) => void;
  #stamp = "";
  #tokens: readonly Token[] = [];

  constructor(file: () => string, noticed: (what: string) => void) {
    this.#file = file;
    this.#noticed = noticed;
  }

  /** Looks whether the file has changed since. */
  get all(): readonly Token[] {
    const file = this.#file();
    const stamp = `${file} ${fileStamp(file)}`;
    if (stamp === this.#stamp) return this.#tokens;
    this.#stamp = stamp;
    try {
      this.#tokens = readTokens(file);
    } catch (error) {
      this.#tokens = [];
      this.#noticed(`${messageOf(error)} Nobody comes in by a token until it is mended.`);
    }
    return this.#tokens;
  }

  byId(id: string): Token | undefined {
    return this.all.find((token) => token.id === id);
  }
}

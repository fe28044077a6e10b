import { randomBytes } from "node:crypto";
import { type Fields, metaOf } from "../acp/checks.ts";
import { HallKey } from "../acp/extensions.ts";
import { withMeta } from "../acp/meta.ts";
import type { Ask } from "./asks.ts";

/** Who we are to the hall: the editor's `initialize`, under a name that is good for coming back to the same place. */
export class Introduction {
  readonly name = randomBytes(16).toString("hex");
  readonly #slot: string | undefined;
  readonly #process: string | undefined;
  #ask: Ask | undefined;
  #isAccepted = false;
  #echo = false;

  /** `process`: the mark of the agent process that we were started in. */
  constructor(slot: string | undefined, process?: string) {
    this.#slot = slot;
    this.#process = process;
  }

  /** The editor's `initialize`; undefined: it said none yet. */
  get ask(): Ask | undefined {
    return this.#ask;
  }

  /** The hall has let us in once, and the editor knows it. */
  get isAccepted(): boolean {
    return this.#isAccepted;
  }

  /** The editor wants to be told its own prompts. */
  get echo(): boolean {
    return this.#echo;
  }

  /** The line with who we are, the slot that was chosen, and the wish to be told all lines, since they are counted. */
  lineOf(line: Buffer): Buffer {
    const own = {
      [HallKey.client]: this.name,
      [HallKey.echo]: true,
      [HallKey.slot]: this.#slot,
      [HallKey.process]: this.#process,
    };
    let said = line;
    for (const [key, value] of Object.entries(own))
      if (value !== undefined) said = withMeta(said, key, value);
    return said;
  }

  /** The editor says it. One that was accepted stays the one. */
  says(ask: Ask, params: Fields): void {
    if (this.#isAccepted) return;
    this.#ask = ask;
    this.#echo = metaOf(params)[HallKey.echo] === true;
  }

  /** The hall accepts an `initialize`. True: it is this one, for the first time. */
  accepted(ask: Ask): boolean {
    if (this.#isAccepted || ask !== this.#ask) return false;
    this.#isAccepted = true;
    return true;
  }
}

import type { Opening } from "./sessions.ts";

/** Keys that are remembered; beyond that the oldest is forgotten. */
const LIMIT = 1_000;

/**
 * New sessions that were asked for under a key (`hall/key`): whoever asks again under it, because the answer was
 * lost on its way, gets the session that was made.
 */
export class KeyedOpenings {
  readonly #openings = new Map<string, () => Opening>();

  /** The opening of before, if there is one. */
  again(key: string): Opening | undefined {
    return this.#openings.get(key)?.();
  }

  /** `again`: the opening as it is answered to whoever asks for it again. */
  keep(key: string, again: () => Opening): void {
    this.#openings.set(key, again);
    const [oldest] = this.#openings.keys();
    if (this.#openings.size > LIMIT && oldest !== undefined) this.#openings.delete(oldest);
  }

  /** Nothing was made: asked for again, it is tried again. */
  forget(key: string): void {
    this.#openings.delete(key);
  }
}

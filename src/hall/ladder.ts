import type { Cancel, Clock } from "../ground/clock.ts";

/** One step of the ladder, the gentlest first. */
export type Rung = () => void;

/**
 * Ends something that may not want to end: each rung is climbed when the one before did not help within
 * `grace` ms. Grace 0 never climbs past the first. Behind the last rung nothing more can be done: `spent` is called.
 */
export class Ladder {
  readonly #clock: Clock;
  readonly #grace: number;
  readonly #rungs: readonly Rung[];
  readonly #spent: () => void;
  #next = 0;
  #stop: Cancel = () => {};

  constructor(clock: Clock, grace: number, rungs: readonly Rung[], spent: () => void) {
    this.#clock = clock;
    this.#grace = grace;
    this.#rungs = rungs;
    this.#spent = spent;
  }

  /** Rungs that were climbed. */
  get height(): number {
    return this.#next;
  }

  /** Climbs the next rung now, and the others in their time. */
  climb(): void {
    this.#stop();
    const rung = this.#rungs[this.#next];
    if (!rung) {
      this.#spent();
      return;
    }
    this.#next += 1;
    rung();
    if (this.#next === this.#rungs.length) this.#spent();
    else if (this.#grace > 0) this.#stop = this.#clock.after(this.#grace, () => this.climb());
  }

  /** It is over: nothing more is climbed. */
  stop(): void {
    this.#stop();
  }
}

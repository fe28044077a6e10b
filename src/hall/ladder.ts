import type { Cancel, Clock } from "../ground/clock.ts";

/** One step of the ladder, the gentlest first. */
export type Rung = () => void;

/**
 * Ends something that may not want to end: each rung is climbed when the one before did not help within
 * `grace` ms. Grace 0 never climbs past the first. When the last did not help either, `spent` is called.
 */
export class Ladder {
  readonly #clock: Clock;
  readonly #grace: number;
  readonly #rungs: readonly Rung[];
  readonly #spent: () => void;
  #next = 0;
  #over = false;
  #stop: Cancel = () => {};

  constructor(clock: Clock, grace: number, rungs: readonly Rung[], spent: () => void) {
    this.#clock = clock;
    this.#grace = grace;
    this.#rungs = rungs;
    this.#spent = spent;
  }

  /** Climbs the next rung now, and the others in their time. */
  climb(): void {
    if (this.#over) return;
    this.#stop();
    const rung = this.#rungs[this.#next];
    this.#next += 1;
    if (!rung) {
      this.stop();
      this.#spent();
      return;
    }
    rung();
    // It may have helped at once.
    if (this.#grace > 0 && !this.#over) this.#stop = this.#clock.after(this.#grace, () => this.climb());
  }

  /** It is over: nothing more is climbed. */
  stop(): void {
    this.#over = true;
    this.#stop();
  }
}

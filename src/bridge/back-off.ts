const FIRST_MS = 250;
const LONGEST_MS = 5_000;

/**
 * How long to wait before the next attempt: 250 ms, twice as long each time, 5 s at most. Between half of that and all
 * of it, by chance: a hall that is back is not met by all its clients in one moment.
 */
export class BackOff {
  readonly #random: () => number;
  #next = FIRST_MS;

  /** `random`: from 0 up to 1. */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** Milliseconds. */
  next(): number {
    const most = this.#next;
    this.#next = Math.min(most * 2, LONGEST_MS);
    return Math.round((most * (1 + this.#random())) / 2);
  }

  reset(): void {
    this.#next = FIRST_MS;
  }
}

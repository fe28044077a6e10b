/**
 * Time, handed in. Whoever waits takes a clock, so that a test moves the hands instead of waiting.
 */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that only go forward: for measuring how long something took. */
  monotonic(): number;
  /** Calls `ring` once after `ms` milliseconds; the answer takes it back. Never keeps the process alive. */
  after(ms: number, ring: () => void): Cancel;
}

export type Cancel = () => void;

/** setTimeout counts in 32 bits; a longer wait would ring at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, ring) {
    let timer: NodeJS.Timeout;
    const arm = (left: number): void => {
      const step = Math.min(left, LONGEST_TIMEOUT_MS);
      timer = setTimeout(() => (left > step ? arm(left - step) : ring()), step);
      timer.unref();
    };
    arm(ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms` milliseconds of the clock's time. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}

/** A clock for tests: it stands still until `advance` moves it, and rings what fell due, in order. */
export class HandClock implements Clock {
  #now: number;
  #order = 0;
  readonly #alarms = new Map<number, { at: number; ring: () => void }>();

  constructor(now = 1_700_000_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(ms: number, ring: () => void): Cancel {
    const key = this.#order++;
    this.#alarms.set(key, { at: this.#now + ms, ring });
    return () => {
      this.#alarms.delete(key);
    };
  }

  /** How many alarms are set: a wait that was given up must not leave one. */
  get pending(): number {
    return this.#alarms.size;
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      let next: [number, { at: number; ring: () => void }] | undefined;
      for (const alarm of this.#alarms) if (!next || alarm[1].at < next[1].at) next = alarm;
      if (!next || next[1].at > end) break;
      this.#alarms.delete(next[0]);
      this.#now = Math.max(this.#now, next[1].at);
      next[1].ring();
    }
    this.#now = end;
  }
}

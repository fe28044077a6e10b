import type { Clock } from "../ground/clock.ts";

/** So many crashes within the window are a loop: nothing is started for a while. */
const LOOP = 5;
const WINDOW_MS = 5 * 60_000;
/** After a second crash in a row the next start waits for so long, then twice as long each time. */
const FIRST_PAUSE_MS = 1_000;

/** How the last of a loop's crashes ended, and how long until one start is let through again. */
export interface Loop {
  crashes: number;
  last: string;
  /** Milliseconds. */
  triedAgainIn: number;
}

/**
 * The crashes of a slot's agent since it last did what it is for. Once there were too many, nothing is started until
 * none has happened for the length of the window; then a single start shows whether it is over.
 */
export class Crashes {
  readonly #clock: Clock;
  /** When they happened, in the clock's monotonic ms. */
  #times: number[] = [];
  #last = "";
  #ever = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** There was one since the agent last did what it is for. */
  get any(): boolean {
    return this.#times.length > 0;
  }

  /** How many there were, ever: what was started before the latest of them says nothing new by crashing too. */
  get ever(): number {
    return this.#ever;
  }

  /**
   * A process crashed. `seen`: `ever` as it was when the process was started. Many that ran side by side and end by one
   * cause (memory ran out, somebody killed them all) are one crash, not a loop.
   */
  add(how: string, seen: number): void {
    if (seen !== this.#ever) return;
    this.#ever += 1;
    this.#last = how;
    const now = this.#clock.monotonic();
    this.#times = [...this.#recent(now), now];
  }

  /** An agent answered a prompt, or somebody says that it is mended. */
  clear(): void {
    this.#times = [];
  }

  /** There were too many lately. */
  get loop(): Loop | undefined {
    const now = this.#clock.monotonic();
    const latest = this.#times.at(-1);
    if (latest === undefined || this.#times.length < LOOP) return undefined;
    const triedAgainIn = latest + WINDOW_MS - now;
    return triedAgainIn > 0 ? { crashes: this.#times.length, last: this.#last, triedAgainIn } : undefined;
  }

  /** Milliseconds that the next start has to wait. */
  get pause(): number {
    const now = this.#clock.monotonic();
    const recent = this.#recent(now);
    const latest = recent.at(-1);
    if (latest === undefined || recent.length < 2) return 0;
    return Math.max(0, latest + FIRST_PAUSE_MS * 2 ** (recent.length - 2) - now);
  }

  /** Of a loop nothing is forgotten: one more crash after its time, and it is a loop still. */
  #recent(now: number): number[] {
    if (this.#times.length >= LOOP) return this.#times.slice(-LOOP);
    return this.#times.filter((time) => time > now - WINDOW_MS);
  }
}

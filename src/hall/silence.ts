import type { Cancel, Clock } from "../ground/clock.ts";

export interface SilenceParts {
  clock: Clock;
  /** Milliseconds; undefined: it may be silent for ever. */
  limit: number | undefined;
  /** When the agent last said something, in the clock's monotonic ms. */
  lastLineAt(): number;
  /** Somebody else is waited for: an open question is no silence of the agent's. */
  excused(): boolean;
  /** Called once: it was silent for longer than the limit. */
  tooLong(): void;
}

/** The time for which an agent says nothing in its turn (`turn_timeout`). */
export class Silence {
  readonly #parts: SilenceParts;
  #since: number;
  #stop: Cancel = () => {};

  constructor(parts: SilenceParts) {
    this.#parts = parts;
    this.#since = parts.clock.monotonic();
    if (parts.limit !== undefined) this.#lookAfter(parts.limit, parts.limit);
  }

  /** The agent has what it waited for: its time begins now. */
  beginAnew(): void {
    this.#since = this.#parts.clock.monotonic();
  }

  end(): void {
    this.#stop();
  }

  #lookAfter(ms: number, limit: number): void {
    this.#stop = this.#parts.clock.after(ms, () => {
      const { clock, lastLineAt, excused, tooLong } = this.#parts;
      if (excused()) this.beginAnew();
      const left = Math.max(this.#since, lastLineAt()) + limit - clock.monotonic();
      if (left <= 0) tooLong();
      else this.#lookAfter(left, limit);
    });
  }
}

import type { Cancel, Clock } from "../ground/clock.ts";

/** How often the hall is asked whether it is there, and how long it may say nothing at all then, in milliseconds. */
const EVERY_MS = 20_000;
const PERIOD_MS = 20_000;

export interface LifeSignParts {
  clock: Clock;
  /** Asks for one. */
  ask(): void;
  /** That nothing came for so many periods need not mean anything. */
  excused(periods: number): boolean;
  /** Nothing came: the connection leads nowhere, whatever the kernel thinks of it. */
  dead(): void;
}

/**
 * Notices that a connection is dead that nobody closed: a machine that fell asleep, a network that changed, a
 * firewall that forgot. The kernel takes a quarter of an hour to see it when something was sent.
 */
export class LifeSign {
  readonly #parts: LifeSignParts;
  #state: "stopped" | "resting" | "waiting" = "stopped";
  #cancel: Cancel = () => {};

  constructor(parts: LifeSignParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#state = "resting";
    this.#alarm(EVERY_MS, () => {
      this.#state = "waiting";
      this.#await(1);
      this.#parts.ask();
    });
  }

  /** Something came. While a sign is waited for, that is one too, though the sign itself may be behind more. */
  heard(): void {
    if (this.#state === "waiting") this.#await(1);
  }

  /** The sign came. */
  came(): void {
    this.start();
  }

  stop(): void {
    this.#state = "stopped";
    this.#cancel();
  }

  #await(periods: number): void {
    this.#alarm(PERIOD_MS, () => {
      if (this.#parts.excused(periods)) this.#await(periods + 1);
      else {
        this.stop();
        this.#parts.dead();
      }
    });
  }

  #alarm(ms: number, ring: () => void): void {
    this.#cancel();
    this.#cancel = this.#parts.clock.after(ms, ring);
  }
}

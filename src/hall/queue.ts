import type PQueue from "p-queue";
import { failure } from "../acp/errors.ts";

/** Something that waits in a session's queue. */
export interface Entry {
  /** Turns take one of the slot's units while they run; what only prepares a session does not. */
  readonly takesUnit: boolean;
  /** Runs when it is first in the session and has its unit. Never rejects. */
  run(): Promise<void>;
}

/** What an entry waits for: others of its session, a unit of its slot; or it has that, and its agent is made ready. */
export type WaitsFor = "session" | "slot" | "agent";

/**
 * What waits in one session: one thing at a time, in order. Whatever becomes first lines up for one of the
 * slot's units, so between sessions it counts when a turn became its session's first.
 */
export class SessionQueue {
  readonly #units: () => PQueue;
  readonly #limit: () => number;
  readonly #onIdle: () => void;
  #waiting: Entry[] = [];
  /** First in the session: lined up for a unit, or running with it. */
  #first: { entry: Entry; giveUp: AbortController; running: boolean } | undefined;

  /**
   * `units`: the slot's, asked for anew each time, since a session may change its slot; the limit, too, since a reload may change that.
   * `onIdle`: nothing runs or
   * waits any more.
   */
  constructor(units: () => PQueue, limit: () => number, onIdle: () => void = () => {}) {
    this.#units = units;
    this.#limit = limit;
    this.#onIdle = onIdle;
  }

  /** How many wait, the running one apart. */
  get waiting(): number {
    return this.#waiting.length + (this.#first && !this.#first.running ? 1 : 0);
  }

  get idle(): boolean {
    return !this.#first && this.#waiting.length === 0;
  }

  /** Of an entry that is there and has not begun what it is for. */
  waitsFor(entry: Entry): WaitsFor {
    if (this.#first?.entry !== entry) return "session";
    return this.#first.running ? "agent" : "slot";
  }

  /** Throws `queue_full` when no more may wait. */
  check(): void {
    const limit = this.#limit();
    // What comes where nothing is runs: it does not wait, even where nothing may.
    if (this.idle || this.waiting < limit) return;
    throw failure(
      "queue_full",
      `${limit} prompts wait in this session already; wait for an answer or cancel them, then prompt again.`,
      { limit },
    );
  }

  add(entry: Entry): void {
    this.#waiting.push(entry);
    this.#advance();
  }

  /** Takes out what waits; true if it was there and never ran. */
  drop(entry: Entry): boolean {
    const index = this.#waiting.indexOf(entry);
    if (index !== -1) {
      this.#waiting.splice(index, 1);
      return true;
    }
    if (this.#first?.entry !== entry || this.#first.running) return false;
    this.#first.giveUp.abort();
    this.#first = undefined;
    this.#advance();
    return true;
  }

  #advance(): void {
    if (this.#first) return;
    const entry = this.#waiting.shift();
    if (!entry) {
      this.#onIdle();
      return;
    }
    const first = { entry, giveUp: new AbortController(), running: false };
    this.#first = first;
    const run = async (): Promise<void> => {
      if (first.giveUp.signal.aborted) return;
      first.running = true;
      try {
        await entry.run();
      } finally {
        this.#first = undefined;
        this.#advance();
      }
    };
    // `run` handles its own failures; the queue's rejection only tells that we gave up.
    if (entry.takesUnit)
      this.#units()
        .add(run, { signal: first.giveUp.signal })
        .catch(() => {});
    else queueMicrotask(() => void run());
  }
}

import { failure, type HallFailure } from "../acp/errors.ts";
import type { Cancel, Clock } from "../ground/clock.ts";

/** An agent process that idled less than this is not ended to make room. */
const SETTLED_MS = 60_000;
/** While a process waits for room: how often it is looked whether one of those that run could make it. */
const LOOK_MS = 1_000;

/** An agent process, as far as room for others goes. */
export interface Occupant {
  /**
   * Since when nothing goes on in it, in the clock's monotonic ms; undefined: something does. `-Infinity`: nobody
   * would miss it.
   */
  idleSince(): number | undefined;
  /** Ends it, so that another has room. */
  makeRoom(): void;
}

interface Waiting {
  enter(): void;
  refuse(error: unknown): void;
}

/** `limits.processes`: how many agent processes run at once, in the whole hall. */
export class Places {
  readonly #limit: () => number;
  readonly #clock: Clock;
  readonly #occupants = new Map<symbol, Occupant | undefined>();
  /** Occupants that were told to go and have not gone. */
  readonly #leaving = new Set<symbol>();
  readonly #waiting = new Set<Waiting>();
  #stopLooking: Cancel = () => {};

  /** `limit`: asked for anew each time. */
  constructor(limit: () => number, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** One more process may be started, and nobody waits for that. */
  get free(): boolean {
    return this.#occupants.size < this.#limit() && this.#waiting.size === 0;
  }

  get taken(): number {
    return this.#occupants.size;
  }

  /**
   * A place for one process: now, or when one is free. `patient` waits for as long as it takes, or until `signal`
   * gives up; otherwise `too_many_processes` when no process idles long enough to be ended for it.
   */
  async take(patient: boolean, signal?: AbortSignal): Promise<Place> {
    signal?.throwIfAborted();
    if (this.#occupants.size < this.#limit()) return this.#enter();
    if (!this.#roomIsComing() && !patient) throw this.#full();
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.delete(waiting);
        reject(signal?.reason);
      };
      const waiting: Waiting = {
        enter: () => {
          signal?.removeEventListener("abort", giveUp);
          resolve(this.#enter());
        },
        refuse: (error) => {
          signal?.removeEventListener("abort", giveUp);
          reject(error);
        },
      };
      signal?.addEventListener("abort", giveUp, { once: true });
      this.#waiting.add(waiting);
      this.#lookAgain();
    });
  }

  /** Who waits has the places that are free: there may be more of them than before. */
  letIn(): void {
    for (const next of this.#waiting) {
      if (this.#occupants.size >= this.#limit()) return;
      this.#waiting.delete(next);
      next.enter();
    }
  }

  /** Nobody waits any more: the hall stops. */
  refuseAll(error: HallFailure): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    this.#stopLooking();
    for (const { refuse } of waiting) refuse(error);
  }

  /** True when an occupant goes, or is told to, for one more than those that wait already. */
  #roomIsComing(): boolean {
    return this.#leaving.size > this.#waiting.size || this.#makeRoom();
  }

  /** An occupant may have idled long enough meanwhile. */
  #lookAgain(): void {
    this.#stopLooking();
    if (this.#waiting.size === 0) return;
    this.#stopLooking = this.#clock.after(LOOK_MS, () => {
      if (this.#waiting.size > this.#leaving.size) this.#makeRoom();
      this.#lookAgain();
    });
  }

  #enter(): Place {
    const key = Symbol("place");
    this.#occupants.set(key, undefined);
    return {
      occupy: (occupant) => {
        if (this.#occupants.has(key)) this.#occupants.set(key, occupant);
      },
      leave: () => {
        if (!this.#occupants.delete(key)) return;
        this.#leaving.delete(key);
        this.letIn();
      },
    };
  }

  #makeRoom(): boolean {
    let longest: { key: symbol; occupant: Occupant; since: number } | undefined;
    for (const [key, occupant] of this.#occupants) {
      const since = this.#leaving.has(key) ? undefined : occupant?.idleSince();
      if (since === undefined || !occupant) continue;
      if (!longest || since < longest.since) longest = { key, occupant, since };
    }
    if (!longest || this.#clock.monotonic() - longest.since < SETTLED_MS) return false;
    this.#leaving.add(longest.key);
    longest.occupant.makeRoom();
    return true;
  }

  #full(): HallFailure {
    const limit = this.#limit();
    return failure(
      "too_many_processes",
      `${limit} agent processes run already (limits.processes) and none is idle; close a session or raise the limit.`,
      { limit },
    );
  }
}

export interface Place {
  occupy(occupant: Occupant): void;
  leave(): void;
}

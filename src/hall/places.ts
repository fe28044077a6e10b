import { failure, type HallFailure } from "../acp/errors.ts";
import type { Clock } from "../ground/clock.ts";

/** An agent process that idled less than this is not ended to make room. */
const SETTLED_MS = 60_000;

/** An agent process, as far as room for others goes. */
export interface Occupant {
  /** Since when nothing goes on in it, in the clock's monotonic ms; undefined: something does. */
  idleSince(): number | undefined;
  /** Ends it, so that another has room. */
  makeRoom(): void;
}

/** `limits.processes`: how many agent processes run at once, in the whole hall. */
export class Places {
  readonly #limit: number;
  readonly #clock: Clock;
  readonly #occupants = new Map<symbol, Occupant | undefined>();
  /** Occupants that were told to go and have not gone. */
  readonly #leaving = new Set<symbol>();
  #waiting: { enter: () => void; refuse: (error: HallFailure) => void }[] = [];

  constructor(limit: number, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  get taken(): number {
    return this.#occupants.size;
  }

  /**
   * A place for one process: now, or when one is free. `patient` waits for as long as it takes; otherwise
   * `too_many_processes` when no process idles long enough to be ended for it.
   */
  take(patient: boolean): Promise<Place> {
    if (this.#occupants.size < this.#limit) return Promise.resolve(this.#enter());
    const room = this.#makeRoom();
    if (!room && !patient) return Promise.reject(this.#full());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ enter: () => resolve(this.#enter()), refuse: reject });
    });
  }

  /** Nobody waits any more: the hall stops. */
  refuseAll(error: HallFailure): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { refuse } of waiting) refuse(error);
  }

  /** Something fell idle: if anyone waits, it may have to go. */
  reconsider(): void {
    if (this.#waiting.length > this.#leaving.size) this.#makeRoom();
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
        this.#waiting.shift()?.enter();
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
    return failure(
      "too_many_processes",
      `${this.#limit} agent processes run already (limits.processes) and none is idle; close a session or raise the limit.`,
      { limit: this.#limit },
    );
  }
}

export interface Place {
  occupy(occupant: Occupant): void;
  leave(): void;
}

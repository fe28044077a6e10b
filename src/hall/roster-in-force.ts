import { type Changes, changesBetween, takenUp } from "./roster/changes.ts";
import type { Roster } from "./roster.ts";

/**
 * The roster that a hall goes by at this moment. Whoever needs a value of it asks here each time: a reload makes it
 * another one.
 */
export class RosterInForce {
  readonly #atStart: Roster;
  #now: Roster;
  #loadedAt: number;

  /** `now`: milliseconds since the epoch. */
  constructor(roster: Roster, now: number) {
    this.#atStart = roster;
    this.#now = roster;
    this.#loadedAt = now;
  }

  /** With what needs a restart as it was at the start; `text` is that of the file as it was last taken up. */
  get now(): Roster {
    return this.#now;
  }

  /** Milliseconds since the epoch. */
  get loadedAt(): number {
    return this.#loadedAt;
  }

  /** What it would be if `next` were taken up. */
  with(next: Roster): Roster {
    return takenUp(this.#now, next);
  }

  /** It is `next` from now on, but for what needs a restart. Answers what is different. */
  takeUp(next: Roster, now: number): Changes {
    const changes = changesBetween(this.#now, next, this.#atStart);
    this.#now = this.with(next);
    this.#loadedAt = now;
    return changes;
  }
}

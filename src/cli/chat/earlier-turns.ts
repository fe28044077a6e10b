import type { Fields } from "../../acp/checks.ts";
import { kindOf } from "../../acp/updates.ts";

/** Turns that are shown of a session that is gone on with, and updates of one. */
const TURNS = 2;
const UPDATES = 5_000;

export interface EarlierUpdate {
  readonly update: Fields;
  /** Whose prompt it is part of. */
  readonly turn: string | undefined;
}

/** The end of a session's history, as it is read to us from its start: all else is let go of again. */
export class EarlierTurns {
  #turns: EarlierUpdate[][] = [];
  #turn: string | undefined;
  #count = 0;

  see(update: Fields, turn: string | undefined): void {
    if (kindOf(update) === "user_message_chunk" && (turn === undefined || turn !== this.#turn)) {
      this.#turn = turn;
      this.#count += 1;
      this.#turns = [...this.#turns, []].slice(-TURNS);
    }
    const last = this.#turns.at(-1);
    last?.push({ update, turn });
    if (last && last.length > UPDATES) last.shift();
  }

  /** How many turns are not among the updates. */
  get left(): number {
    return this.#count - this.#turns.length;
  }

  get updates(): EarlierUpdate[] {
    return this.#turns.flat();
  }
}

import type { Clock } from "../ground/clock.ts";
import { Ladder, type Rung } from "./ladder.ts";

export interface AgentTurnsParts {
  clock: Clock;
  /** Milliseconds between the steps of the ladder; 0: never escalate. */
  cancelGrace(): number;
  /** SIGINT, SIGTERM, SIGKILL. */
  signals: readonly Rung[];
  /** Nothing runs in it any more, and nothing is to. */
  emptied(): void;
}

/**
 * The turns that run in one agent process, by agent session. Of a process that several sessions share, a turn that
 * does not end after its cancel is given up, and the process is retired: no new turn or session goes there. Signals
 * reach all that runs in it, so the ladder climbs only when nothing is left in it but given up turns.
 */
export class AgentTurns {
  readonly #parts: AgentTurnsParts;
  readonly #turns = new Map<string, "running" | "given up">();
  #retired = false;
  #ladder: Ladder | undefined;

  constructor(parts: AgentTurnsParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#turns.size;
  }

  /** No new turn or session goes to this process. */
  get retired(): boolean {
    return this.#retired;
  }

  /** Some turn runs in it that was not given up. */
  get wanted(): boolean {
    return [...this.#turns.values()].includes("running");
  }

  has(session: string): boolean {
    return this.#turns.has(session);
  }

  begin(session: string): void {
    this.#turns.set(session, "running");
  }

  end(session: string): void {
    this.#turns.delete(session);
    this.#settle();
  }

  /** The turn was cancelled in vain: whatever becomes of it, nobody waits for it any more. */
  giveUp(session: string): void {
    if (this.#turns.has(session)) this.#turns.set(session, "given up");
    this.retire();
  }

  retire(): void {
    this.#retired = true;
    this.#settle();
  }

  /** The process is over. */
  stop(): void {
    this.#ladder?.stop();
  }

  #settle(): void {
    if (!this.#retired || this.wanted) return;
    const { clock, emptied, signals } = this.#parts;
    const cancelGrace = this.#parts.cancelGrace();
    if (this.#turns.size === 0) {
      this.#ladder?.stop();
      emptied();
    } else if (!this.#ladder && cancelGrace > 0) {
      this.#ladder = new Ladder(clock, cancelGrace, signals, () => {});
      this.#ladder.climb();
    }
  }
}

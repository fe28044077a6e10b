import { HallFailure } from "../acp/errors.ts";
import type { Cancel, Clock } from "../ground/clock.ts";
import { unlessAborted } from "../ground/unless-aborted.ts";
import type { Agent } from "./agent.ts";

export interface CommonAgentParts {
  clock: Clock;
  /** Milliseconds; undefined: never. */
  idleTimeout(): number | undefined;
  /** Starts an agent and initialises it. */
  start(patient: boolean): Promise<Agent>;
}

/** The agent process that all sessions of a slot have together (`isolation: slot`), started when one wants it. */
export class CommonAgent {
  readonly #parts: CommonAgentParts;
  #agent: Agent | undefined;
  #starting: { agent: Promise<Agent>; patient: boolean } | undefined;
  #stopIdle: Cancel = () => {};

  constructor(parts: CommonAgentParts) {
    this.#parts = parts;
  }

  /**
   * The process of now, or the one that is being started, whoever asked for that. `signal` gives up the wait; the
   * process is the others' too. Rejects as a start fails.
   */
  async take(patient: boolean, signal?: AbortSignal): Promise<Agent> {
    for (;;) {
      signal?.throwIfAborted();
      if (this.#agent && !this.#agent.gone && !this.#agent.retired) return this.#agent;
      const starting = this.#starting ?? this.#start(patient);
      try {
        const agent = await unlessAborted(starting.agent, signal);
        if (!agent.gone && !agent.retired) return agent;
      } catch (error) {
        // Whoever began it did not want to wait for room.
        const full = error instanceof HallFailure && error.kind === "too_many_processes";
        if (!full || !patient || starting.patient) throw error;
      }
    }
  }

  /**
   * Begins to count the time in which nothing is said. Its sessions are let go one by one when they idle; the process
   * goes when nothing was said in it for as long.
   */
  watchIdle(): void {
    const { clock, idleTimeout } = this.#parts;
    this.#stopIdle();
    const timeout = idleTimeout();
    const agent = this.#agent;
    if (timeout === undefined || !agent || agent.gone) return;
    const look = (): void => {
      const left = (agent.idleSince ?? clock.monotonic()) + timeout - clock.monotonic();
      if (left <= 0) agent.retire();
      else this.#stopIdle = clock.after(left, look);
    };
    this.#stopIdle = clock.after(timeout, look);
  }

  #start(patient: boolean): { agent: Promise<Agent>; patient: boolean } {
    const agent = this.#parts.start(patient).then((started) => {
      this.#agent = started;
      started.onGone(() => this.#stopIdle());
      this.watchIdle();
      return started;
    });
    const starting = {
      agent: agent.finally(() => {
        this.#starting = undefined;
      }),
      patient,
    };
    this.#starting = starting;
    return starting;
  }
}

import { HallFailure } from "../acp/errors.ts";
import type { Cancel, Clock } from "../ground/clock.ts";
import { unlessAborted } from "../ground/unless-aborted.ts";
import type { Agent } from "./agent.ts";

export interface CommonAgentParts {
  clock: Clock;
  /** Milliseconds; undefined: never. */
  idleTimeout: number | undefined;
  /** Starts an agent and initialises it. */
  start(patient: boolean): Promise<Agent>;
}

/** The agent process that all sessions of a slot have together (`isolation: slot`), started when one wants it. */
export class CommonAgent {
  readonly #parts: CommonAgentParts;
  #agent: Agent | undefined;
  #starting: { agent: Promise<Agent>; patient: boolean } | undefined;

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

  #start(patient: boolean): { agent: Promise<Agent>; patient: boolean } {
    const agent = this.#parts.start(patient).then((started) => {
      this.#agent = started;
      this.#watchIdle(started);
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

  /** Its sessions are let go one by one when they idle; the process goes when nothing was said in it for as long. */
  #watchIdle(agent: Agent): void {
    const { clock, idleTimeout } = this.#parts;
    if (idleTimeout === undefined) return;
    let stop: Cancel = () => {};
    const look = (): void => {
      const left = (agent.idleSince ?? clock.monotonic()) + idleTimeout - clock.monotonic();
      if (left <= 0) agent.retire();
      else stop = clock.after(left, look);
    };
    stop = clock.after(idleTimeout, look);
    agent.onGone(() => stop());
  }
}

import type { Cancel, Clock } from "../ground/clock.ts";
import { unlessAborted } from "../ground/unless-aborted.ts";
import type { Agent } from "./agent.ts";

export interface WarmAgentsParts {
  clock: Clock;
  /** How many are kept. */
  count: number;
  /** Milliseconds after the last use of the slot after which none is kept; undefined: they always are. */
  idleTimeout: number | undefined;
  /** There is room for one more process, without another having to go. */
  hasRoom(): boolean;
  /** Starts an agent and initialises it. */
  start(): Promise<Agent>;
  /** One is not needed any more. */
  end(agent: Agent): void;
  noticed(what: string, detail?: unknown): void;
}

/** How often it is looked whether there is room again, in milliseconds. */
const LOOK_MS = 5_000;

/**
 * Agents of a slot that are kept started and initialised (`warm`), so that a new session need not wait for that. They
 * are started one after another, and only where nobody has to make room for them. When nobody has used the slot for
 * its `idle_timeout` they go, and come back with its next use.
 */
export class WarmAgents {
  readonly #parts: WarmAgentsParts;
  readonly #ready = new Set<Agent>();
  /** Resolves with why it failed, if it did. */
  #starting: Promise<{ failed?: unknown }> | undefined;
  /** `awake`: the slot is in use, and its agent can be started. */
  #state: "asleep" | "awake" | "over" = "asleep";
  #stopIdle: Cancel = () => {};
  #stopLooking: Cancel = () => {};

  constructor(parts: WarmAgentsParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#ready.size;
  }

  has(agent: Agent): boolean {
    return this.#ready.has(agent);
  }

  /** The slot is used, or about to be. */
  wake(): void {
    if (this.#state === "over") return;
    const { clock, idleTimeout } = this.#parts;
    this.#state = "awake";
    this.#stopIdle();
    if (idleTimeout !== undefined) this.#stopIdle = clock.after(idleTimeout, () => this.sleep());
    this.#fill();
  }

  /** As `wake`, once what is to be answered now has been: a spawn holds everything up. */
  used(): void {
    setImmediate(() => this.wake());
  }

  /** None is kept any more, until the next use. */
  sleep(): void {
    this.#keepNone("asleep");
  }

  /** As `sleep`, for good. */
  stop(): void {
    this.#keepNone("over");
  }

  /** Those that there are know too little, such as of a login: others take their place. */
  renew(): void {
    this.#endAll();
    this.#fill();
  }

  /**
   * One that is ready, or the one that is being started; undefined: there is none, or another was first. Rejects as the
   * start that it waited for fails. The next one is started by `used`, once the session has what it wants.
   */
  async take(signal?: AbortSignal): Promise<Agent | undefined> {
    if (this.#ready.size === 0 && this.#starting) {
      const { failed } = await unlessAborted(this.#starting, signal);
      if (failed !== undefined) throw failed;
    }
    return this.#takeLiving();
  }

  /** Resolves when the one that is being started is there, or failed. */
  async started(): Promise<void> {
    this.wake();
    await this.#starting;
  }

  /** It is not kept any more: it has to make room. */
  drop(agent: Agent): void {
    this.#ready.delete(agent);
    this.#parts.end(agent);
  }

  #takeLiving(): Agent | undefined {
    for (const agent of this.#ready) {
      this.#ready.delete(agent);
      // Its end may not have been told yet.
      if (agent.gone || !agent.process.isAlive) continue;
      agent.wasWarm = true;
      return agent;
    }
    return undefined;
  }

  #fill(): void {
    const { clock, count, hasRoom } = this.#parts;
    if (this.#state !== "awake" || this.#starting || this.#ready.size >= count) return;
    this.#stopLooking();
    if (!hasRoom()) {
      this.#stopLooking = clock.after(LOOK_MS, () => this.#fill());
      return;
    }
    this.#starting = this.#start().finally(() => {
      this.#starting = undefined;
      this.#fill();
    });
  }

  async #start(): Promise<{ failed?: unknown }> {
    try {
      const agent = await this.#parts.start();
      if (this.#state !== "awake") this.#parts.end(agent);
      else if (!agent.gone) this.#keep(agent);
      return {};
    } catch (error) {
      // Not tried again before somebody wants the slot, who is then told.
      if (this.#state === "awake") this.#state = "asleep";
      this.#stopIdle();
      this.#parts.noticed("no process is kept warm for now: it could not be started", error);
      return { failed: error };
    }
  }

  #keep(agent: Agent): void {
    this.#ready.add(agent);
    agent.onGone(() => {
      this.#ready.delete(agent);
      this.#fill();
    });
  }

  #keepNone(state: "asleep" | "over"): void {
    this.#state = state;
    this.#stopIdle();
    this.#stopLooking();
    this.#endAll();
  }

  #endAll(): void {
    const agents = [...this.#ready];
    this.#ready.clear();
    for (const agent of agents) this.#parts.end(agent);
  }
}

import type { Fields } from "../acp/checks.ts";
import { failure, HallFailure, shuttingDown } from "../acp/errors.ts";
import type { RunningAgent } from "../agents/running-agent.ts";
import type { Starts } from "../agents/starts.ts";
import type { Clock } from "../ground/clock.ts";
import { Agent, type AgentParts } from "./agent.ts";
import type { AgentLog } from "./agent-log.ts";
import type { AgentRun } from "./agent-run.ts";
import type { RunChannels } from "./channels.ts";
import { Crashes } from "./crashes.ts";
import type { Learned } from "./learned.ts";
import type { Place, Places } from "./places.ts";
import type { SlotConfig } from "./roster.ts";

export interface SlotStartsParts {
  clock: Clock;
  places: Places;
  starts: Starts;
  learned: Learned;
  /** How its agent is started, in one string: what was learned of another launch is not true of this one. */
  launch: string;
  /** The sockets on which hooks of its agents ask. */
  channels: RunChannels;
  /** What is told of its agents. */
  log: AgentLog;
  /** See `SlotAgents`. */
  spawn(cwd: string, more: Readonly<Record<string, string>>, run?: AgentRun): RunningAgent;
  /** The roster has no such slot any more: sessions of before are read, no agent is started. */
  gone: boolean;
  /** What each agent is told of its client, which is the hall. */
  clientParams: Fields;
  agent: Omit<AgentParts, "slot" | "shared" | "clock" | "bound" | "answered" | "hookEnvironment">;
  /** See `Occupant`. */
  idleSince(agent: Agent): number | undefined;
  makeRoom(agent: Agent): void;
}

/** The starts of a slot's agent: where there is room, one after another, and not while it crashes again and again. */
export class SlotStarts {
  readonly crashes: Crashes;
  readonly #running = new Set<Agent>();
  #stopped = false;
  readonly #definition: () => SlotConfig;
  readonly #parts: SlotStartsParts;

  constructor(definition: () => SlotConfig, parts: SlotStartsParts) {
    this.#definition = definition;
    this.#parts = parts;
    this.crashes = new Crashes(parts.clock);
  }

  get #config(): SlotConfig {
    return this.#definition();
  }

  /** Agents that were started and are not gone. */
  get running(): ReadonlySet<Agent> {
    return this.#running;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** Why nothing is started for now, and what to do. */
  get failed(): string | undefined {
    const { loop } = this.crashes;
    if (!loop) return undefined;
    return (
      `Its agent crashed ${loop.crashes} times without answering a prompt. Correct the cause and call hall reload, or ` +
      `wait: in ${Math.ceil(loop.triedAgainIn / 60_000)} min it is tried again. The last time: ${loop.last}`
    );
  }

  /** Nothing starts any more, and whatever runs or is starting ends. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#running].map((agent) => agent.process.stop()));
  }

  /**
   * Starts an agent in `cwd` and initialises it. `patient`: waits for a place among `limits.processes`. Rejects with
   * `slot_gone`, `slot_failed`, `too_many_processes`, `spawn_failed`, `init_timeout`, `agent_exited` or `agent_protocol`;
   * with the reason of `signal` when that gives it up.
   */
  async start(cwd: string, patient: boolean, signal?: AbortSignal): Promise<Agent> {
    if (this.#parts.gone) {
      const sentence = `This session ran in slot "${this.#config.name}", which the roster no longer has; put it back.`;
      throw failure("slot_gone", sentence, { slot: this.#config.name });
    }
    if (this.#config.unavailable !== undefined) {
      throw failure("slot_failed", `Slot ${this.#config.name} is unavailable: ${this.#config.unavailable}`, {
        slot: this.#config.name,
      });
    }
    await this.#untilCalm(signal);
    const place = await this.#parts.places.take(patient, signal);
    let agent: Agent | undefined;
    let run: AgentRun | undefined;
    const launch = async (): Promise<Agent> => {
      // It may have waited for its turn to start while the hall began to stop, or others crashed.
      if (this.#stopped) throw shuttingDown();
      this.#checkLoop();
      run = this.#parts.log.begin(this.#config.name, this.#parts.agent.mask);
      agent = this.#launch(cwd, place, run);
      await this.#initialize(agent, signal);
      return agent;
    };
    try {
      return await this.#parts.starts.run(launch, signal);
    } catch (error) {
      // The place of a process is free only when that is gone.
      if (!agent) place.leave();
      if (!signal?.aborted) run?.failed(error);
      throw signal?.aborted ? signal.reason : error;
    }
  }

  #checkLoop(): void {
    const { failed } = this;
    if (failed !== undefined)
      throw failure("slot_failed", `Slot ${this.#config.name} has failed. ${failed}`, {
        slot: this.#config.name,
      });
  }

  /** What crashed just now is not started again just as fast. */
  async #untilCalm(signal?: AbortSignal): Promise<void> {
    this.#checkLoop();
    const { pause } = this.crashes;
    if (pause === 0) return;
    await new Promise<void>((resolve, reject) => {
      const cancel = this.#parts.clock.after(pause, () => {
        signal?.removeEventListener("abort", giveUp);
        resolve();
      });
      const giveUp = (): void => {
        cancel();
        reject(signal?.reason);
      };
      if (signal?.aborted) giveUp();
      else signal?.addEventListener("abort", giveUp, { once: true });
    });
    await this.#untilCalm(signal);
  }

  #launch(cwd: string, place: Place, run: AgentRun): Agent {
    const crashesBefore = this.crashes.ever;
    const agent = this.#spawn(cwd, run);
    this.#running.add(agent);
    place.occupy({
      idleSince: () => this.#parts.idleSince(agent),
      makeRoom: () => this.#parts.makeRoom(agent),
    });
    agent.onGone(() => {
      this.#running.delete(agent);
      place.leave();
      if (agent.crashed) this.#noteCrash(agent.exitFailure(), crashesBefore);
    });
    return agent;
  }

  /** Its socket is there before it is; a hook that it starts can ask at once. */
  #spawn(cwd: string, run: AgentRun): Agent {
    const { clock, channels, spawn, agent: parts } = this.#parts;
    let agent: Agent | undefined;
    const channel = channels.open({
      ask: (question, asker, answer) => agent?.hookAsks(question, asker, answer),
      withdrawn: (asker) => agent?.hookGone(asker),
    });
    try {
      agent = new Agent(spawn(cwd, channel.environment, run), {
        ...parts,
        noticed: (what, detail) => {
          run.noticed(what);
          parts.noticed(what, detail);
        },
        bound: (sessionId) => run.serves(sessionId),
        slot: this.#config.name,
        shared: this.#config.isolation === "slot",
        clock,
        answered: () => this.crashes.clear(),
        hookEnvironment: channel.environment,
      });
    } catch (error) {
      channel.close();
      run.end();
      throw error;
    }
    agent.onGone(() => {
      channel.close();
      run.end();
    });
    return agent;
  }

  async #initialize(agent: Agent, signal?: AbortSignal): Promise<void> {
    const { clientParams, learned, launch } = this.#parts;
    const crashesBefore = this.crashes.ever;
    try {
      await agent.initialize(clientParams, this.#config.initTimeout, signal);
    } catch (error) {
      // One that went by itself is counted when it is gone; one that is not there is no crash.
      if (error instanceof HallFailure && error.kind !== "agent_exited" && error.kind !== "spawn_failed")
        this.#noteCrash(error, crashesBefore);
      throw error;
    }
    try {
      learned.learn(this.#config.name, agent.initialized, launch);
    } catch (error) {
      this.#parts.agent.noticed("what the agent can do could not be kept", error);
    }
  }

  #noteCrash(how: HallFailure, crashesBefore: number): void {
    const before = this.failed;
    this.crashes.add(how.message, crashesBefore);
    const { failed } = this;
    if (failed !== undefined && before === undefined)
      this.#parts.agent.noticed(`nothing is started for now: ${failed}`);
  }
}

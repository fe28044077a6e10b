import PQueue from "p-queue";
import { type Fields, isFields } from "../acp/checks.ts";
import { failure, shuttingDown } from "../acp/errors.ts";
import type { AgentProcess } from "../agents/process.ts";
import type { Starts } from "../agents/starts.ts";
import type { Cancel, Clock } from "../ground/clock.ts";
import { Agent, type AgentParts } from "./agent.ts";
import type { Channels } from "./channels.ts";
import type { Learned, Lesson } from "./learned.ts";
import type { Place, Places } from "./places.ts";
import type { SlotConfig } from "./roster.ts";

/** How long a first `initialize` waits for a slot whose agent never ran. */
const LEARN_WITHIN_MS = 10_000;
/** A process that was started to learn from, or that asked for a login, is kept this long for a session. */
const SPARE_MS = 120_000;

/** A known agent's ways, beyond what the protocol lets it say. */
export interface Ways {
  fs: "on" | "client" | "off";
  terminal: "on" | "client" | "off";
  cancelTools: boolean;
  lacks: ReadonlySet<"resume" | "load">;
  /** What `initialize` answers before the agent ever ran. */
  capabilities: Fields;
  authMethods: Fields[];
}

export interface SlotParts {
  clock: Clock;
  places: Places;
  starts: Starts;
  learned: Learned;
  ways: Ways;
  /** How its agent is started, in one string: what was learned of another launch is not true of this one. */
  launch: string;
  channels: Channels;
  /** Starts the slot's program in `cwd`; `more` goes into its environment, too. Throws `spawn_failed`. */
  spawn(cwd: string, more: Readonly<Record<string, string>>): AgentProcess;
  /** The environment that its agents get, but for their marks. */
  environment(): Readonly<Record<string, string>>;
  /** The roster has no such slot any more: sessions of before are read, no agent is started. */
  gone: boolean;
  /** What each agent is told of its client, which is the hall. */
  clientParams: Fields;
  agent: Omit<AgentParts, "slot" | "clock" | "hookEnvironment">;
  started(agent: Agent): void;
}

/** A named way to run an agent, with its limits. */
export class Slot {
  readonly config: SlotConfig;
  readonly ways: Ways;
  /** Turns that run at once. */
  readonly units: PQueue;
  readonly #parts: SlotParts;
  /** An agent that waits for a session or a login, and what takes back its alarm. */
  #spare: { agent: Agent; release: Cancel } | undefined;
  #forLogin: Promise<Agent> | undefined;
  #stopped = false;
  #learning: Promise<Lesson> | undefined;
  readonly #agents = new Set<Agent>();

  constructor(config: SlotConfig, parts: SlotParts) {
    this.config = config;
    this.ways = parts.ways;
    this.#parts = parts;
    this.units = new PQueue({ concurrency: config.concurrency });
  }

  get name(): string {
    return this.config.name;
  }

  get environment(): Readonly<Record<string, string>> {
    return this.#parts.environment();
  }

  /** Processes of this slot that run. */
  get agents(): ReadonlySet<Agent> {
    return this.#agents;
  }

  /** What is known of the agent's abilities without asking it. */
  get lesson(): Lesson {
    const { ways, launch } = this.#parts;
    return (
      this.#parts.learned.of(this.name, launch) ?? {
        agentCapabilities: ways.capabilities,
        authMethods: ways.authMethods,
        launch,
      }
    );
  }

  /** What the agent can do, as it said when it last ran; one that never ran is started and asked. */
  async learn(): Promise<Lesson> {
    const { learned, launch, clock } = this.#parts;
    const known = learned.of(this.name, launch);
    if (known || this.config.run.kind === "demo" || this.config.unavailable !== undefined) return this.lesson;
    this.#learning ??= this.#startSpare().finally(() => {
      this.#learning = undefined;
    });
    let stop = (): void => {};
    const late = new Promise<Lesson>((resolve) => {
      stop = clock.after(LEARN_WITHIN_MS, () => resolve(this.lesson));
    });
    try {
      return await Promise.race([this.#learning, late]);
    } finally {
      stop();
    }
  }

  /**
   * An initialised agent for a session in `cwd`. `patient`: waits for a place among `limits.processes`.
   * Rejects with `slot_failed`, `too_many_processes`, `spawn_failed`, `init_timeout` or `agent_exited`; with the
   * reason of `signal` when that gives it up, wherever it is by then.
   */
  async take(cwd: string, patient: boolean, signal?: AbortSignal): Promise<Agent> {
    const agent = this.#spare?.agent;
    if (agent && !agent.gone && (agent.loggedIn || cwd === this.config.cwd)) {
      this.#setSpare(undefined);
      return agent;
    }
    return this.#start(cwd, patient, signal);
  }

  /** An agent that refused a session for want of a login: the login that follows is for it. */
  keep(agent: Agent): void {
    if (agent.gone || agent === this.#spare?.agent) return;
    // One that is just being logged in to stays.
    if (this.#spare?.agent.busy) void agent.process.stop();
    else {
      void this.#spare?.agent.process.stop();
      this.#setSpare(agent);
    }
  }

  /** The agent that `authenticate` and `logout` speak to: one, however many ask at once. */
  async forLogin(): Promise<Agent> {
    const spare = this.#spare?.agent;
    if (spare && !spare.gone) return spare;
    this.#forLogin ??= this.#start(this.config.cwd, false).finally(() => {
      this.#forLogin = undefined;
    });
    const agent = await this.#forLogin;
    this.keep(agent);
    return agent;
  }

  /** The hall stops: nothing starts any more, and whatever runs or is starting ends. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#agents].map((agent) => agent.process.stop()));
  }

  #setSpare(agent: Agent | undefined): void {
    this.#spare?.release();
    this.#spare = agent && { agent, release: this.#spareAlarm(agent) };
    agent?.onGone(() => {
      if (this.#spare?.agent === agent) this.#setSpare(undefined);
    });
  }

  /** Nobody came for it in time: it ends. A login that goes on keeps it. */
  #spareAlarm(agent: Agent): Cancel {
    return this.#parts.clock.after(SPARE_MS, () => {
      if (agent.busy) this.#spare = { agent, release: this.#spareAlarm(agent) };
      else {
        this.#setSpare(undefined);
        void agent.process.stop();
      }
    });
  }

  async #startSpare(): Promise<Lesson> {
    try {
      this.keep(await this.#start(this.config.cwd, false));
    } catch {
      // The session that is asked for next meets the same failure, and there it has someone to tell.
    }
    return this.lesson;
  }

  async #start(cwd: string, patient: boolean, signal?: AbortSignal): Promise<Agent> {
    if (this.#parts.gone) {
      const sentence = `This session ran in slot "${this.name}", which the roster no longer has; put it back.`;
      throw failure("slot_gone", sentence, { slot: this.name });
    }
    if (this.config.unavailable !== undefined) {
      throw failure("slot_failed", `Slot ${this.name} is unavailable: ${this.config.unavailable}`, {
        slot: this.name,
      });
    }
    const place = await this.#parts.places.take(patient, signal);
    let agent: Agent | undefined;
    const launch = async (): Promise<Agent> => {
      // It may have waited for its turn to start while the hall began to stop.
      if (this.#stopped) throw shuttingDown();
      agent = this.#launch(cwd, place);
      await this.#initialize(agent, signal);
      return agent;
    };
    try {
      return await this.#parts.starts.run(launch, signal);
    } catch (error) {
      // The place of a process is free only when that is gone.
      if (!agent) place.leave();
      throw signal?.aborted ? signal.reason : error;
    }
  }

  #launch(cwd: string, place: Place): Agent {
    const agent = this.#spawn(cwd);
    this.#agents.add(agent);
    place.occupy({
      idleSince: () => this.#idleSince(agent),
      makeRoom: () => this.#makeRoom(agent),
    });
    agent.onGone(() => {
      this.#agents.delete(agent);
      place.leave();
    });
    this.#parts.started(agent);
    return agent;
  }

  /** Its socket is there before it is; a hook that it starts can ask at once. */
  #spawn(cwd: string): Agent {
    const { clock, channels, spawn, agent: parts } = this.#parts;
    let agent: Agent | undefined;
    const channel = channels.open({
      ask: (question, asker, answer) => agent?.hookAsks(question, asker, answer),
      withdrawn: (asker) => agent?.hookGone(asker),
    });
    try {
      const process = spawn(cwd, channel.environment);
      agent = new Agent(process, { ...parts, slot: this.name, clock, hookEnvironment: channel.environment });
    } catch (error) {
      channel.close();
      throw error;
    }
    agent.onGone(() => channel.close());
    return agent;
  }

  async #initialize(agent: Agent, signal?: AbortSignal): Promise<void> {
    const { clientParams, learned, launch } = this.#parts;
    await agent.initialize(clientParams, this.config.initTimeout, signal);
    try {
      learned.learn(this.name, agent.initialized, launch);
    } catch (error) {
      this.#parts.agent.noticed("what the agent can do could not be kept", error);
    }
  }

  /** One that waits for a session is nobody's, but while it is logged in to. */
  #idleSince(agent: Agent): number | undefined {
    if (agent.busy) return undefined;
    return this.#spare?.agent === agent ? -Infinity : agent.occupant?.idleSince();
  }

  #makeRoom(agent: Agent): void {
    if (this.#spare?.agent === agent) this.#setSpare(undefined);
    if (agent.occupant) agent.occupant.makeRoom();
    else void agent.process.stop();
  }
}

/** Login methods that run in a terminal are done where the agent lives, not where the editor is. */
export function remoteAuthMethods(methods: readonly Fields[]): Fields[] {
  return methods.filter((method) => {
    const meta = isFields(method._meta) ? method._meta : {};
    return method.type !== "terminal" && meta["terminal-auth"] === undefined;
  });
}

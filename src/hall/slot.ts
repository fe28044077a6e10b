import PQueue from "p-queue";
import { type Fields, isFields } from "../acp/checks.ts";
import { failure, HallFailure, shuttingDown } from "../acp/errors.ts";
import type { RunningAgent } from "../agents/running-agent.ts";
import type { Starts } from "../agents/starts.ts";
import type { Cancel, Clock } from "../ground/clock.ts";
import { Agent, type AgentParts } from "./agent.ts";
import { CommonAgent } from "./common-agent.ts";
import { Crashes } from "./crashes.ts";
import type { Learned, Lesson } from "./learned.ts";
import type { Place, Places } from "./places.ts";
import type { SlotConfig } from "./roster.ts";
import { WarmAgents } from "./warm-agents.ts";

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
  /** Starts the slot's program in `cwd`. Throws `spawn_failed`. */
  spawn(cwd: string): RunningAgent;
  /** The environment that its agents get, but for their marks. */
  environment(): Readonly<Record<string, string>>;
  /** The roster has no such slot any more: sessions of before are read, no agent is started. */
  gone: boolean;
  /** What each agent is told of its client, which is the hall. */
  clientParams: Fields;
  agent: Omit<AgentParts, "slot" | "shared" | "clock" | "answered">;
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
  /** With `isolation: slot`: what gives all sessions the same. */
  readonly #common: CommonAgent | undefined;
  readonly #warm: WarmAgents | undefined;
  #stopped = false;
  #learning: Promise<Lesson> | undefined;
  readonly #agents = new Set<Agent>();
  readonly #crashes: Crashes;

  constructor(config: SlotConfig, parts: SlotParts) {
    this.config = config;
    this.ways = parts.ways;
    this.#parts = parts;
    this.#crashes = new Crashes(parts.clock);
    if (config.isolation === "slot")
      this.#common = new CommonAgent({
        clock: parts.clock,
        idleTimeout: config.idleTimeout,
        start: (patient) => this.#start(config.cwd, patient),
      });
    if (config.warm > 0 && !parts.gone && config.unavailable === undefined)
      this.#warm = this.#keptWarm(config);
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

  /** Why nothing is started for now, and what to do: its agent crashes again and again. Some sentences. */
  get failed(): string | undefined {
    const loop = this.#crashes.loop;
    if (!loop) return undefined;
    return (
      `Its agent crashed ${loop.crashes} times without answering a prompt. Correct the cause and restart the hall, or ` +
      `wait: in ${Math.ceil(loop.triedAgainIn / 60_000)} min it is tried again. The last time: ${loop.last}`
    );
  }

  /** Somebody says that its agent is mended: it is started again at once. */
  forgetCrashes(): void {
    this.#crashes.clear();
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
    // Where it crashed lately nobody learns from the next crash but whoever wants a session.
    if (this.#crashes.any) return this.lesson;
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
    if (this.#common) return this.#common.take(patient, signal);
    const agent = this.#spare?.agent;
    if (agent && !agent.gone && (agent.loggedIn || cwd === this.config.cwd)) {
      this.#setSpare(undefined);
      return agent;
    }
    return (await this.#warm?.take(signal)) ?? this.#start(cwd, patient, signal);
  }

  /** An agent that refused a session for want of a login: the login that follows is for it. */
  keep(agent: Agent): void {
    if (agent.gone || agent.shared || agent === this.#spare?.agent) return;
    // One that is just being logged in to stays.
    if (this.#spare?.agent.busy) void agent.process.stop();
    else {
      void this.#spare?.agent.process.stop();
      this.#setSpare(agent);
    }
  }

  /** The agent that `authenticate` and `logout` speak to: one, however many ask at once. */
  async forLogin(): Promise<Agent> {
    if (this.#common) return this.#common.take(false);
    const spare = this.#spare?.agent;
    if (spare && !spare.gone) return spare;
    this.#forLogin ??= this.#start(this.config.cwd, false).finally(() => {
      this.#forLogin = undefined;
    });
    const agent = await this.#forLogin;
    this.keep(agent);
    return agent;
  }

  /** What is to be kept warm is started. */
  wake(): void {
    this.#warm?.wake();
  }

  /** A session has an agent, or could not get one. */
  used(): void {
    this.#warm?.used();
  }

  /** Somebody logged in, or out: what was initialised before may not know. */
  loginChanged(): void {
    // The login was made in the one that all share.
    if (!this.#common) this.#warm?.renew();
  }

  /** The hall stops: nothing starts any more, and whatever runs or is starting ends. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#warm?.stop();
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

  #keptWarm(config: SlotConfig): WarmAgents {
    const { agent, clock, places } = this.#parts;
    const common = this.#common;
    return new WarmAgents({
      clock,
      // There is only one.
      count: common ? 1 : config.warm,
      idleTimeout: config.idleTimeout,
      hasRoom: () => places.free,
      // One that all share goes when it idles, whoever had it started.
      end: (one) => {
        if (!common) void one.process.stop();
      },
      start: () => (common ? common.take(false) : this.#start(config.cwd, false)),
      noticed: (what, detail) => {
        if (!this.#stopped) agent.noticed(what, detail);
      },
    });
  }

  async #startSpare(): Promise<Lesson> {
    try {
      if (this.#common) await this.#common.take(false);
      else if (this.#warm) await this.#warm.started();
      else this.keep(await this.#start(this.config.cwd, false));
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
    await this.#untilCalm(signal);
    const place = await this.#parts.places.take(patient, signal);
    let agent: Agent | undefined;
    const launch = async (): Promise<Agent> => {
      // It may have waited for its turn to start while the hall began to stop, or others crashed.
      if (this.#stopped) throw shuttingDown();
      this.#checkLoop();
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

  #checkLoop(): void {
    const { failed } = this;
    if (failed !== undefined)
      throw failure("slot_failed", `Slot ${this.name} has failed. ${failed}`, { slot: this.name });
  }

  /** What crashed just now is not started again just as fast. */
  async #untilCalm(signal?: AbortSignal): Promise<void> {
    this.#checkLoop();
    const { pause } = this.#crashes;
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

  #launch(cwd: string, place: Place): Agent {
    const { clock } = this.#parts;
    const crashesBefore = this.#crashes.ever;
    const agent = new Agent(this.#parts.spawn(cwd), {
      ...this.#parts.agent,
      slot: this.name,
      shared: this.#common !== undefined,
      clock,
      answered: () => this.#crashes.clear(),
    });
    this.#agents.add(agent);
    place.occupy({
      idleSince: () => this.#idleSince(agent),
      makeRoom: () => this.#makeRoom(agent),
    });
    agent.onGone(() => {
      this.#agents.delete(agent);
      place.leave();
      if (agent.crashed) this.#noteCrash(agent.exitFailure(), crashesBefore);
    });
    this.#parts.started(agent);
    return agent;
  }

  async #initialize(agent: Agent, signal?: AbortSignal): Promise<void> {
    const { clientParams, learned, launch } = this.#parts;
    const crashesBefore = this.#crashes.ever;
    try {
      await agent.initialize(clientParams, this.config.initTimeout, signal);
    } catch (error) {
      // One that went by itself is counted when it is gone.
      if (error instanceof HallFailure && error.kind !== "agent_exited")
        this.#noteCrash(error, crashesBefore);
      throw error;
    }
    try {
      learned.learn(this.name, agent.initialized, launch);
    } catch (error) {
      this.#parts.agent.noticed("what the agent can do could not be kept", error);
    }
  }

  #noteCrash(how: HallFailure, crashesBefore: number): void {
    const before = this.failed;
    this.#crashes.add(how.message, crashesBefore);
    const { failed } = this;
    if (failed !== undefined && before === undefined)
      this.#parts.agent.noticed(`nothing is started for now: ${failed}`);
  }

  /** One that waits for a session is nobody's, but while it is logged in to. */
  #idleSince(agent: Agent): number | undefined {
    if (agent.shared) return agent.unused && !agent.busy ? -Infinity : agent.idleSince;
    if (agent.busy) return undefined;
    return this.#spare?.agent === agent || this.#warm?.has(agent) ? -Infinity : agent.occupant?.idleSince();
  }

  #makeRoom(agent: Agent): void {
    if (this.#spare?.agent === agent) this.#setSpare(undefined);
    if (agent.shared) agent.retire();
    else if (this.#warm?.has(agent)) this.#warm.drop(agent);
    else if (agent.occupant) agent.occupant.makeRoom();
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

import PQueue from "p-queue";
import { type Fields, isFields } from "../acp/checks.ts";
import type { Cancel } from "../ground/clock.ts";
import type { Agent } from "./agent.ts";
import { CommonAgent } from "./common-agent.ts";
import type { Lesson } from "./learned.ts";
import { Relayed } from "./relayed.ts";
import type { SlotConfig } from "./roster.ts";
import { SlotStarts, type SlotStartsParts } from "./slot-starts.ts";
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

export interface SlotParts extends Omit<SlotStartsParts, "idleSince" | "makeRoom"> {
  ways: Ways;
  /** The environment that its agents get, but for their marks. */
  environment(): Readonly<Record<string, string>>;
  /** See `SlotAgents`. */
  forget(agentSession: string): void;
}

/** A named way to run an agent, with its limits. */
export class Slot {
  readonly config: SlotConfig;
  readonly ways: Ways;
  readonly relayed = new Relayed();
  /** Turns that run at once. */
  readonly units: PQueue;
  readonly #parts: SlotParts;
  /** An agent that waits for a session or a login, and what takes back its alarm. */
  #spare: { agent: Agent; release: Cancel } | undefined;
  #forLogin: Promise<Agent> | undefined;
  /** With `isolation: slot`: what gives all sessions the same. */
  readonly #common: CommonAgent | undefined;
  readonly #warm: WarmAgents | undefined;
  #learning: Promise<Lesson> | undefined;
  readonly #starts: SlotStarts;

  constructor(config: SlotConfig, parts: SlotParts) {
    this.config = config;
    this.ways = parts.ways;
    this.#parts = parts;
    this.#starts = new SlotStarts(config, {
      ...parts,
      idleSince: (agent) => this.#idleSince(agent),
      makeRoom: (agent) => this.#makeRoom(agent),
    });
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
    return this.#starts.running;
  }

  /** Why nothing is started for now, and what to do: its agent crashes again and again. Some sentences. */
  get failed(): string | undefined {
    return this.#starts.failed;
  }

  /** Somebody says that its agent is mended: it is started again at once. */
  forgetCrashes(): void {
    this.#starts.crashes.clear();
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

  /** It is being asked what it can do. */
  get isLearning(): boolean {
    return this.#learning !== undefined;
  }

  /** What the agent can do, as it said when it last ran; one that never ran is started and asked. */
  async learn(): Promise<Lesson> {
    const { learned, launch, clock } = this.#parts;
    const known = learned.of(this.name, launch);
    if (known || this.config.run.kind === "demo" || this.config.unavailable !== undefined) return this.lesson;
    // Where it crashed lately nobody learns from the next crash but whoever wants a session.
    if (this.#starts.crashes.any) return this.lesson;
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

  /** One of its agent's sessions was deleted. */
  forget(agentSession: string): void {
    this.#parts.forget(agentSession);
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
    this.#warm?.stop();
    await this.#starts.stop();
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
        if (!this.#starts.stopped) agent.noticed(what, detail);
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

  #start(cwd: string, patient: boolean, signal?: AbortSignal): Promise<Agent> {
    return this.#starts.start(cwd, patient, signal);
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

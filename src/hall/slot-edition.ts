import type { Fields } from "../acp/checks.ts";
import { failure, type HallFailure } from "../acp/errors.ts";
import type { Cancel } from "../ground/clock.ts";
import type { Agent } from "./agent.ts";
import { CommonAgent } from "./common-agent.ts";
import type { Lesson } from "./learned.ts";
import type { SlotConfig } from "./roster.ts";
import { SlotStarts, type SlotStartsParts } from "./slot-starts.ts";
import { WarmAgents } from "./warm-agents.ts";

/** How long a first `initialize` waits for a slot whose agent never ran. */
const LEARN_WITHIN_MS = 10_000;
/** A process that was started to learn from, or that asked for a login, is kept this long for a session. */
const SPARE_MS = 120_000;
/** How often it is looked whether a process of an earlier definition rests. */
const LOOK_MS = 1_000;

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

export interface EditionParts extends Omit<SlotStartsParts, "idleSince" | "makeRoom"> {
  ways: Ways;
  /** The environment that its agents get, but for their marks. */
  environment(): Readonly<Record<string, string>>;
  /** See `SlotAgents`. */
  forget(agentSession: string): void;
}

/**
 * One definition of a slot, and the agent processes that run by it: those of sessions, and those that wait for one.
 * A reload that changes the definition puts another edition in its place.
 */
export class SlotEdition {
  readonly parts: EditionParts;
  #config: SlotConfig;
  #superseded = false;
  /** Starts that are under way. */
  readonly #underWay = new Set<AbortController>();
  /** An agent that waits for a session or a login, and what takes back its alarm. */
  #spare: { agent: Agent; release: Cancel } | undefined;
  #forLogin: Promise<Agent> | undefined;
  /** With `isolation: slot`: what gives all sessions the same. */
  readonly #common: CommonAgent | undefined;
  #warm: WarmAgents | undefined;
  #learning: Promise<Lesson> | undefined;
  readonly #starts: SlotStarts;
  #stopLooking: Cancel = () => {};

  constructor(config: SlotConfig, parts: EditionParts) {
    this.parts = parts;
    this.#config = config;
    this.#starts = new SlotStarts(() => this.#config, {
      ...parts,
      idleSince: (agent) => this.#idleSince(agent),
      makeRoom: (agent) => this.#makeRoom(agent),
    });
    if (config.isolation === "slot")
      this.#common = new CommonAgent({
        clock: parts.clock,
        idleTimeout: () => this.#config.idleTimeout,
        start: (patient) => this.#start(this.#config.cwd, patient),
      });
    this.#warm = this.#keptWarm();
  }

  get config(): SlotConfig {
    return this.#config;
  }

  /** Processes that run. */
  get agents(): ReadonlySet<Agent> {
    return this.#starts.running;
  }

  /** See `Slot.failed`. */
  get failed(): string | undefined {
    return this.#starts.failed;
  }

  forgetCrashes(): void {
    this.#starts.crashes.clear();
  }

  /** The definition is another, in nothing that its processes would notice. */
  adopt(config: SlotConfig): void {
    const { warm, idleTimeout } = this.#config;
    this.#config = config;
    if (config.idleTimeout !== idleTimeout) this.#common?.watchIdle();
    if (config.warm === warm && config.idleTimeout === idleTimeout) return;
    this.#warm?.stop();
    this.#warm = this.#keptWarm();
    this.wake();
  }

  /**
   * Another edition takes its place: nothing starts by this one any more, and what is starting is given up. Processes
   * that rest end now, the others as soon as they do.
   */
  supersede(): void {
    this.#superseded = true;
    this.#warm?.stop();
    for (const start of this.#underWay) start.abort(this.#replaced());
    for (const agent of this.agents) agent.outdate();
    this.#endRested();
  }

  /** What is known of the agent's abilities without asking it. */
  get lesson(): Lesson {
    const { ways, launch, learned } = this.parts;
    return (
      learned.of(this.#config.name, launch) ?? {
        agentCapabilities: ways.capabilities,
        authMethods: ways.authMethods,
        launch,
      }
    );
  }

  /** See `Slot.isLearning`. */
  get isLearning(): boolean {
    return this.#learning !== undefined;
  }

  /** See `Slot.learn`. */
  async learn(): Promise<Lesson> {
    const { learned, launch, clock, gone } = this.parts;
    const { name, run, unavailable } = this.#config;
    const known = learned.of(name, launch);
    if (known || gone || run.kind === "demo" || unavailable !== undefined) return this.lesson;
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

  /** See `Slot.take`. Rejects when it is superseded meanwhile. */
  async take(cwd: string, patient: boolean, signal?: AbortSignal): Promise<Agent> {
    if (this.#common) return this.#common.take(patient, signal);
    const agent = this.#spare?.agent;
    // Where a hall behind this one runs its agent has nothing to do with where we are.
    const isAnywhere = this.#config.run.kind === "hall";
    if (agent && !agent.gone && (agent.loggedIn || isAnywhere || cwd === this.#config.cwd)) {
      this.#setSpare(undefined);
      return agent;
    }
    return (await this.#warm?.take(signal)) ?? this.#start(cwd, patient, signal);
  }

  /** See `Slot.keep`. */
  keep(agent: Agent): void {
    if (agent.gone || agent.shared || agent === this.#spare?.agent) return;
    // One that is just being logged in to stays.
    if (this.#spare?.agent.busy) void agent.process.stop();
    else {
      void this.#spare?.agent.process.stop();
      this.#setSpare(agent);
    }
  }

  /** See `Slot.forLogin`. */
  async forLogin(): Promise<Agent> {
    if (this.#common) return this.#common.take(false);
    const spare = this.#spare?.agent;
    if (spare && !spare.gone) return spare;
    this.#forLogin ??= this.#start(this.#config.cwd, false).finally(() => {
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
    this.#stopLooking();
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
    return this.parts.clock.after(SPARE_MS, () => {
      if (agent.busy) this.#spare = { agent, release: this.#spareAlarm(agent) };
      else {
        this.#setSpare(undefined);
        void agent.process.stop();
      }
    });
  }

  #keptWarm(): WarmAgents | undefined {
    const { agent, clock, gone, places } = this.parts;
    const { cwd, idleTimeout, unavailable, warm } = this.#config;
    if (warm === 0 || gone || unavailable !== undefined) return undefined;
    const common = this.#common;
    return new WarmAgents({
      clock,
      // There is only one.
      count: common ? 1 : warm,
      idleTimeout,
      hasRoom: () => places.free,
      // One that all share goes when it idles, whoever had it started.
      end: (one) => {
        if (!common) void one.process.stop();
      },
      start: () => (common ? common.take(false) : this.#start(cwd, false)),
      noticed: (what, detail) => {
        if (!this.#starts.stopped && !this.#superseded) agent.noticed(what, detail);
      },
    });
  }

  async #startSpare(): Promise<Lesson> {
    try {
      if (this.#common) await this.#common.take(false);
      else if (this.#warm) await this.#warm.started();
      else this.keep(await this.#start(this.#config.cwd, false));
    } catch {
      // The session that is asked for next meets the same failure, and there it has someone to tell.
    }
    return this.lesson;
  }

  async #start(cwd: string, patient: boolean, signal?: AbortSignal): Promise<Agent> {
    if (this.#superseded) throw this.#replaced();
    const start = new AbortController();
    const giveUp = (): void => start.abort(signal?.reason);
    if (signal?.aborted) giveUp();
    else signal?.addEventListener("abort", giveUp, { once: true });
    this.#underWay.add(start);
    try {
      return await this.#starts.start(cwd, patient, start.signal);
    } finally {
      this.#underWay.delete(start);
      signal?.removeEventListener("abort", giveUp);
    }
  }

  /** Those that do not rest yet are looked at again. */
  #endRested(): void {
    for (const agent of this.agents)
      if (!agent.process.asked && this.#idleSince(agent) !== undefined) this.#makeRoom(agent);
    if (this.agents.size > 0) this.#stopLooking = this.parts.clock.after(LOOK_MS, () => this.#endRested());
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

  #replaced(): HallFailure {
    const { name } = this.#config;
    return failure("slot_failed", `Slot ${name} was changed by a reload; ask again.`, { slot: name });
  }
}

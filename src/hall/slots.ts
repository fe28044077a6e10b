import type { Fields } from "../acp/checks.ts";
import { invalidParams } from "../acp/errors.ts";
import { HallKey } from "../acp/extensions.ts";
import type { RunningAgent } from "../agents/running-agent.ts";
import { Starts } from "../agents/starts.ts";
import type { Clock } from "../ground/clock.ts";
import type { AgentLog } from "./agent-log.ts";
import type { AgentRun } from "./agent-run.ts";
import type { RunChannels } from "./channels.ts";
import type { Learned } from "./learned.ts";
import type { Places } from "./places.ts";
import type { SlotChange } from "./roster/changes.ts";
import { masked } from "./roster/exposure.ts";
import type { SlotConfig } from "./roster.ts";
import type { RosterInForce } from "./roster-in-force.ts";
import { Slot } from "./slot.ts";
import type { EditionParts, Ways } from "./slot-edition.ts";
import type { SlotChoice } from "./slot-menu.ts";

/** How a slot's agent is started, and what is known of it. */
export interface SlotAgents {
  ways: Ways;
  /** How it is started, in one string: what was learned of another launch is not true of this one. */
  launch: string;
  /** The environment that its processes get, but for their marks. */
  environment(): Readonly<Record<string, string>>;
  /**
   * `more`: goes into its environment, too. `run`: is told of each program that is started for it, where somebody wants to know. Throws
   * `spawn_failed`.
   */
  spawn(cwd: string, more: Readonly<Record<string, string>>, run?: AgentRun): RunningAgent;
  /** One of the agent's sessions was deleted: what the hall keeps for the agent of it is taken from the disk. */
  forget(agentSession: string): void;
}

export interface SlotsParts {
  roster: RosterInForce;
  version: string;
  hallId: string;
  clock: Clock;
  /** What is told of agents. */
  log: AgentLog;
  places: Places;
  learned: Learned;
  channels: RunChannels;
  agents(slot: SlotConfig): SlotAgents;
  noticed(what: string, detail?: unknown): void;
}

/** The slots of the roster in force, the first of them the default. */
export class Slots {
  readonly #parts: SlotsParts;
  readonly #starts: Starts;
  #slots: ReadonlyMap<string, Slot>;
  /** Slots of sessions that the roster has no longer, or not now: what was said in them can still be read. */
  readonly #former = new Map<string, Slot>();

  constructor(parts: SlotsParts) {
    const { limits, slots } = parts.roster.now;
    this.#parts = parts;
    this.#starts = new Starts(limits.startConcurrency);
    this.#slots = new Map(slots.map((config) => [config.name, this.#make(config)]));
  }

  /** What menus show. */
  get choices(): readonly SlotChoice[] {
    return [...this.#slots.values()].map(({ config: { name, title, description } }) => ({
      name,
      title,
      ...(description === undefined ? {} : { description }),
    }));
  }

  get all(): Iterable<Slot> {
    return this.#slots.values();
  }

  /**
   * The roster in force has become another. `changes`: by name. New slots are there, and what they keep warm is
   * started; changed ones are as they are now for new processes; those that are not in it any more are gone until they
   * come back. A slot that had crashed too often is tried again.
   */
  takeUp(changes: ReadonlyMap<string, SlotChange>): void {
    const { limits, slots } = this.#parts.roster.now;
    this.#starts.limit = limits.startConcurrency;
    const before = this.#slots;
    const names = new Set(slots.map(({ name }) => name));
    this.#slots = new Map(
      slots.map((config) => [config.name, this.#takenUp(config, changes.get(config.name), before)]),
    );
    for (const [name, slot] of before) {
      if (names.has(name)) continue;
      slot.redefine(slot.config, this.#partsOf(slot.config, true));
      this.#former.set(name, slot);
    }
    this.wake();
  }

  #takenUp(config: SlotConfig, change: SlotChange | undefined, before: ReadonlyMap<string, Slot>): Slot {
    const { name } = config;
    const slot = before.get(name) ?? this.#former.get(name);
    this.#former.delete(name);
    if (!slot) return this.#make(config);
    if (slot.gone || change === "other processes") slot.redefine(config, this.#partsOf(config, false));
    else slot.adopt(config);
    slot.forgetCrashes();
    return slot;
  }

  /** What a menu shows to whoever may use these; undefined: all. */
  choicesAmong(names: ReadonlySet<string> | undefined): readonly SlotChoice[] {
    return names ? this.choices.filter(({ name }) => names.has(name)) : this.choices;
  }

  /** All who may use the slot see the sessions in it. */
  isShared(name: string): boolean {
    return this.#slots.get(name)?.config.share ?? false;
  }

  /**
   * The slot of this name, the first without one, of those that may be used (`among`; undefined: all). Throws -32602,
   * naming those that there are.
   */
  choose(name: string | undefined, among?: ReadonlySet<string>): Slot {
    const names = [...this.#slots.keys()].filter((one) => among?.has(one) ?? true);
    const chosen = name ?? names[0];
    const slot = chosen !== undefined && names.includes(chosen) ? this.#slots.get(chosen) : undefined;
    if (slot) return slot;
    throw invalidParams(
      names.length === 0
        ? "There is no slot that you may use; ask whoever runs the hall for one."
        : `There is no slot "${name}"; there are: ${names.join(", ")}.`,
      { slot: name, slots: names },
    );
  }

  /** The slot of a session of before: one that the roster has no longer starts no agent, and says so. */
  ofSession(name: string): Slot {
    const slot = this.#slots.get(name) ?? this.#former.get(name);
    if (slot) return slot;
    const { run: _run, unavailable: _unavailable, ...rest } = this.choose(undefined).config;
    const config: SlotConfig = { ...rest, name, title: name, run: { kind: "demo" } };
    const former = new Slot(config, this.#partsOf(config, true));
    this.#former.set(name, former);
    return former;
  }

  /** What the roster wants to be warm is started. */
  wake(): void {
    for (const slot of this.#slots.values()) slot.wake();
  }

  /** The hall stops: nothing starts any more, and whatever runs or is starting ends. */
  async stop(): Promise<void> {
    await Promise.all(this.#everyone.map((slot) => slot.stop()));
  }

  /** Nobody waits any more for what still runs. */
  killAll(): void {
    for (const slot of this.#everyone) for (const agent of slot.agents) void agent.process.kill();
  }

  /** Those of before too: turns may still run in them. */
  get #everyone(): Slot[] {
    return [...this.#slots.values(), ...this.#former.values()];
  }

  #make(config: SlotConfig): Slot {
    return new Slot(config, this.#partsOf(config, false));
  }

  /** `gone`: the roster has it no longer. */
  #partsOf(config: SlotConfig, gone: boolean): EditionParts {
    const { clock, places, learned, channels, log, noticed, roster, version, hallId } = this.#parts;
    const agents = this.#parts.agents(config);
    return {
      ...agents,
      clock,
      places,
      starts: this.#starts,
      learned,
      channels,
      log,
      gone,
      clientParams: clientParams(config, agents.ways, version, hallId),
      agent: {
        hallId,
        lineLimit: () => roster.now.limits.line,
        cancelGrace: () => roster.now.cancelGrace,
        mask: (text) => masked(text, roster.now.secrets),
        noticed: (what, detail) => noticed(`slot ${config.name}: ${what}`, detail),
      },
    };
  }
}

/** What every agent is told of its client, whoever comes later: so nothing has to be filtered then. */
function clientParams(config: SlotConfig, ways: Ways, version: string, hallId: string): Fields {
  const { clientCapabilities, run } = config;
  const fs = ways.fs !== "off";
  return {
    ...(run.kind === "hall" ? { _meta: { [HallKey.via]: [hallId] } } : {}),
    protocolVersion: 1,
    clientInfo: { name: "hall", title: "hall", version },
    clientCapabilities: {
      fs: { readTextFile: fs, writeTextFile: fs },
      terminal: ways.terminal !== "off",
      elicitation: { form: {}, url: {} },
      ...clientCapabilities,
    },
  };
}

import { randomBytes } from "node:crypto";
import type { Call } from "../acp/agent-side.ts";
import { type Fields, isFields } from "../acp/checks.ts";
import { failure, shuttingDown } from "../acp/errors.ts";
import { HallKey } from "../acp/extensions.ts";
import type { Clock } from "../ground/clock.ts";
import type { Disk } from "../ground/disk.ts";
import { Desk } from "../permission/desk.ts";
import { Judge } from "../permission/judge.ts";
import { ShellParser } from "../permission/shell-parser.ts";
import type { Transport } from "../wire/transport.ts";
import type { LivingProcesses } from "../workspace/process-group.ts";
import { AgentLog } from "./agent-log.ts";
import type { RunChannels } from "./channels.ts";
import { Client } from "./client.ts";
import { Events, type Refused } from "./events.ts";
import type { Gate } from "./grant.ts";
import { Learned } from "./learned.ts";
import { Names } from "./names.ts";
import type { Origin } from "./origin.ts";
import { Places } from "./places.ts";
import type { Changes } from "./roster/changes.ts";
import type { Roster, SlotConfig } from "./roster.ts";
import type { RosterInForce } from "./roster-in-force.ts";
import { Sessions } from "./sessions.ts";
import { remoteAuthMethods, type Slot } from "./slot.ts";
import { type SlotAgents, Slots } from "./slots.ts";
import type { State } from "./state.ts";

export interface HallParts {
  roster: RosterInForce;
  state: State;
  clock: Clock;
  disk: Disk;
  version: string;
  processes: LivingProcesses;
  /** The sockets on which agents' hooks ask. */
  channels: RunChannels;
  agents(slot: SlotConfig): SlotAgents;
  gate: Gate;
  /** Control methods beyond ACP. False: there is none of this name. */
  control?(call: Call, client: Client): boolean;
  /** For the log. */
  noticed(what: string, detail?: unknown): void;
}

/** Connections that have not said `initialize` yet. */
const STRANGERS = 64;
/** How long a stopping hall waits for its clients to take what is pending, in milliseconds; and one in a hurry. */
const CLOSE_WITHIN_MS = 1_000;
const HURRIED_CLOSE_MS = 100;
/** Where the ladder has no signals (`cancel_grace: 0`): what agents get to end, once their hall does. */
const GENTLE_END_MS = 8_000;
/** What the last signal may take to show, before the hall stops waiting for it. */
const SLACK_MS = 500;

/** The hall: its slots, its sessions, its clients. */
export class Hall {
  readonly clock: Clock;
  readonly version: string;
  /** Of its state directory: what it is known by among halls. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly events = new Events();
  /** What agents say on stderr, and what becomes of them. */
  readonly log: AgentLog;
  readonly places: Places;
  readonly names: Names<Client>;
  readonly slots: Slots;
  readonly sessions: Sessions;
  readonly desk: Desk;
  readonly #parts: HallParts;
  readonly #clients = new Set<Client>();
  /** Those whose initialize was let in, also while it is still being answered. */
  readonly #admitted = new Set<Client>();
  #clientsEver = 0;
  #stopping = false;
  #hurried = false;

  constructor(parts: HallParts) {
    const { roster, state, clock, disk, noticed, version } = parts;
    const { events } = this;
    this.#parts = parts;
    this.clock = clock;
    this.version = version;
    this.id = state.id;
    this.startedAt = clock.now();
    this.log = new AgentLog({ clock, events });
    this.desk = new Desk(clock);
    this.names = new Names(clock);
    this.places = new Places(() => roster.now.limits.processes, clock);
    const learned = new Learned(disk, state.folder);
    const { places } = this;
    const slots = new Slots({
      roster,
      version,
      hallId: state.id,
      clock,
      log: this.log,
      places,
      learned,
      channels: parts.channels,
      agents: parts.agents,
      noticed,
    });
    this.slots = slots;
    let questions = 0;
    this.sessions = new Sessions({
      state,
      clock,
      disk,
      events,
      slots,
      limit: () => roster.now.limits.sessions,
      noticed,
      session: {
        clock,
        desk: this.desk,
        judge: new Judge(new ShellParser()),
        events,
        run: randomBytes(8).toString("hex"),
        cancelGrace: () => roster.now.cancelGrace,
        queueLimit: () => roster.now.queueLimit,
        syncTurns: () => roster.now.durability === "power",
        slots,
        slotsOf: (owner) => parts.gate.slotsOf(owner),
        forbidden: () => [state.folder, ...filesOf(roster.now)],
        processes: parts.processes,
        nextId: (kind) => (kind === "turn" ? `turn_${randomBytes(8).toString("hex")}` : `q${++questions}`),
        noticed,
      },
    });
  }

  get clients(): ReadonlySet<Client> {
    return this.#clients;
  }

  get lineLimit(): number {
    return this.#parts.roster.now.limits.line;
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  /** Who may do what. */
  get gate(): Gate {
    return this.#parts.gate;
  }

  /** A connection that was let in as far as its `initialize`. */
  accept(transport: Transport, origin: Origin): Client {
    const strangers = [...this.#clients].filter((client) => !client.initialized).length;
    const client = new Client(`client-${++this.#clientsEver}`, transport, origin, this);
    this.#clients.add(client);
    this.events.emit("client.connected", { client: client.name, via: origin.via });
    client.start();
    if (strangers >= STRANGERS) this.#refused(origin, "full");
    if (this.#stopping || strangers >= STRANGERS) client.destroy();
    return client;
  }

  #refused({ via, address }: Origin, why: Refused): void {
    this.events.emit("client.refused", { via, address, why });
  }

  /**
   * A client says `initialize`, and maybe its name: then the one that has that name leaves for it. Throws when the
   * hall is full of clients, or stops.
   */
  admit(client: Client, name: string | undefined): void {
    const { clients: limit } = this.#parts.roster.now.limits;
    const former = name === undefined ? undefined : this.names.holder(name);
    if (this.#stopping) throw shuttingDown();
    const others = [...this.#admitted].filter((other) => other !== client && other !== former);
    if (others.length < limit) {
      this.#admitted.add(client);
      return;
    }
    this.#refused(client.origin, "full");
    throw failure(
      "too_many_sessions",
      `${limit} clients are connected already (limits.clients); close one or raise the limit.`,
      { limit },
    );
  }

  left(client: Client): void {
    this.#clients.delete(client);
    this.#admitted.delete(client);
    this.events.emit("client.closed", { client: client.name });
  }

  /**
   * What `initialize` is answered to a client of this slot; `asking`: whether its agent is asked, if it never ran;
   * `among`: the slots that the client may use, undefined: all.
   */
  async introduction(
    slot: Slot,
    asking: "patiently" | "if nobody else does" | "not",
    among?: ReadonlySet<string>,
  ): Promise<Fields> {
    const asks = asking === "patiently" || (asking !== "not" && !slot.isLearning);
    const { agentCapabilities, authMethods } = asks ? await slot.learn() : slot.lesson;
    const { promptCapabilities, mcpCapabilities, auth } = agentCapabilities;
    return {
      protocolVersion: 1,
      agentInfo: { name: "hall", title: "hall", version: this.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: {
          ...(isFields(promptCapabilities) ? promptCapabilities : {}),
          embeddedContext: true,
        },
        ...(mcpCapabilities ? { mcpCapabilities } : {}),
        ...(auth ? { auth } : {}),
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
        _meta: { [HallKey.slots]: this.slots.choicesAmong(among) },
      },
      authMethods: remoteAuthMethods(authMethods),
    };
  }

  /** The roster in force has become another: what does not ask it each time is told. */
  rosterChanged({ slots }: Changes): void {
    this.sessions.tellingMenus(() => this.slots.takeUp(slots));
    this.places.letIn();
  }

  control(call: Call, client: Client): boolean {
    return this.#parts.control?.(call, client) ?? false;
  }

  noticed(what: string, detail?: unknown): void {
    this.#parts.noticed(what, detail);
  }

  /**
   * Stops: nothing new; what waits is refused or left for the next hall, what runs has `drain` ms, then the ladder;
   * then the agents end: in `drain`, the steps of the ladder, and two seconds at most, whatever they do.
   * Answers whether all that was written is on the platter.
   */
  async stop(drain: number): Promise<boolean> {
    this.#stopping = true;
    this.names.stop();
    this.events.emit("hall.stopping", {});
    this.places.refuseAll(shuttingDown());
    this.sessions.leaveWaiting();
    const { live } = this.sessions;
    for (const { turns } of live) turns.holdBack(shuttingDown());
    const { cancelGrace } = this.#parts.roster.now;
    const ladder = cancelGrace > 0 ? 3 * cancelGrace : GENTLE_END_MS;
    const noMore = this.clock.after(drain, () => this.#finishRunning());
    const atLast = this.clock.after(drain + ladder + SLACK_MS, () => this.hurry());
    await Promise.all(live.map(({ turns }) => turns.untilOver()));
    noMore();
    const retired = this.sessions.live.map((session) => session.retire());
    await this.slots.stop();
    const synced = await Promise.all(retired);
    atLast();
    await this.#closeClients();
    return this.sessions.close() && synced.every((all) => all);
  }

  /** Nobody waits any more for what still runs. */
  hurry(): void {
    this.#hurried = true;
    this.#finishRunning();
    this.slots.killAll();
  }

  #finishRunning(): void {
    // That they are over is waited for elsewhere.
    for (const { turns } of this.sessions.live) void turns.finishRunning();
  }

  /** What is pending is sent; who does not take it in time goes without. */
  async #closeClients(): Promise<void> {
    const late = this.clock.after(this.#hurried ? HURRIED_CLOSE_MS : CLOSE_WITHIN_MS, () => {
      for (const client of [...this.#clients]) client.destroy();
    });
    await Promise.all([...this.#clients].map((client) => client.end()));
    late();
  }
}

/** What it goes by: who may change these is the hall, or comes in as anybody. */
const filesOf = ({ file, tokensFile, listen: { tls } }: Roster): string[] => [
  file,
  tokensFile,
  ...(tls ? [tls.key] : []),
];

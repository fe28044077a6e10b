import { randomBytes } from "node:crypto";
import type { Call } from "../acp/agent-side.ts";
import type { Fields } from "../acp/checks.ts";
import { failure, invalidParams, sessionNotFound } from "../acp/errors.ts";
import type { AgentProcess } from "../agents/process.ts";
import { Starts } from "../agents/starts.ts";
import type { Clock } from "../ground/clock.ts";
import type { Disk } from "../ground/disk.ts";
import { Desk } from "../permission/desk.ts";
import type { Transport } from "../wire/transport.ts";
import type { LivingProcesses } from "../workspace/process-group.ts";
import type { Agent } from "./agent.ts";
import { Catalog, type Summary } from "./catalog.ts";
import { Client, type ClientHall } from "./client.ts";
import { Events } from "./events.ts";
import { Learned } from "./learned.ts";
import type { Origin } from "./origin.ts";
import { Places } from "./places.ts";
import type { Roster, SlotConfig } from "./roster.ts";
import { Session, type SessionParts } from "./session.ts";
import { SessionFiles } from "./session-files.ts";
import { remoteAuthMethods, Slot, type Ways } from "./slot.ts";
import type { State } from "./state.ts";
import { shuttingDown } from "./turns.ts";

export interface HallParts {
  roster: Roster;
  state: State;
  clock: Clock;
  disk: Disk;
  version: string;
  processes: LivingProcesses;
  /** How a slot's agent is started, and what is known of it. */
  agents(slot: SlotConfig): SlotAgents;
  /** Control methods beyond ACP; see `ClientHall`. */
  control?(call: Call, client: Client): boolean;
  /** For the log. */
  noticed(what: string, detail?: unknown): void;
}

export interface SlotAgents {
  ways: Ways;
  launch: string;
  environment(): Readonly<Record<string, string>>;
  spawn(cwd: string): AgentProcess;
}

export interface NewSession {
  slot: Slot;
  cwd: string;
  additionalDirectories: string[];
  mcpServers: Fields[];
}

/** A session that is being made; `abort` ends the process that was started for it. */
export interface Opening {
  opened: Promise<{ session: Session; result: Fields }>;
  abort(): void;
}

/** Connections that have not said `initialize` yet. */
const STRANGERS = 64;
/** How long a stopping hall waits for its clients to take what is pending, in milliseconds. */
const CLOSE_WITHIN_MS = 1_000;
/** The owner of sessions of the hall's own user. */
const LOCAL = "local";

/** The hall: its slots, its sessions, its clients. */
export class Hall implements ClientHall {
  readonly clock: Clock;
  readonly events = new Events();
  readonly slots: ReadonlyMap<string, Slot>;
  readonly places: Places;
  readonly #parts: HallParts;
  readonly #desk: Desk;
  readonly #catalog: Catalog;
  readonly #sessions = new Map<string, Session>();
  readonly #clients = new Set<Client>();
  readonly #sessionParts: SessionParts;
  readonly startedAt: number;
  #clientsEver = 0;
  #stopping = false;

  constructor(parts: HallParts) {
    const { roster, state, clock, disk } = parts;
    this.#parts = parts;
    this.clock = clock;
    this.startedAt = clock.now();
    this.#desk = new Desk(clock);
    this.places = new Places(roster.limits.processes, clock);
    const starts = new Starts(roster.limits.startConcurrency);
    const learned = new Learned(disk, state.folder);
    this.slots = new Map(
      roster.slots.map((config) => [config.name, this.#makeSlot(config, starts, learned)]),
    );
    let questions = 0;
    this.#sessionParts = {
      clock,
      desk: this.#desk,
      events: this.events,
      cancelGrace: roster.cancelGrace,
      queueLimit: roster.queueLimit,
      syncTurns: roster.durability === "power",
      slotNamed: (name) => this.slots.get(name),
      slotChoices: roster.slots.map(({ name, title, description }) => ({
        name,
        title,
        ...(description === undefined ? {} : { description }),
      })),
      forbidden: [state.folder, roster.file],
      processes: parts.processes,
      nextId: (kind) => (kind === "turn" ? `turn_${randomBytes(8).toString("hex")}` : `q${++questions}`),
      changed: (session) => {
        if (this.#sessions.get(session.id) === session) this.#catalog.put(summaryOf(session));
      },
      noticed: parts.noticed,
    };
    disk.makeFolder(state.sessionsFolder);
    this.#catalog = Catalog.open(state.folder, this.#fileParts, () => this.#readAll(), state.wasClean);
    this.#dropSessionsWithoutTurns();
  }

  get lineLimit(): number {
    return this.#parts.roster.limits.line;
  }

  get version(): string {
    return this.#parts.version;
  }

  get clients(): ReadonlySet<Client> {
    return this.#clients;
  }

  get sessionCount(): number {
    return this.#catalog.size;
  }

  /** Sessions that are in memory. */
  get liveSessions(): Iterable<Session> {
    return this.#sessions.values();
  }

  /** A connection that was let in. */
  accept(transport: Transport, origin: Origin): void {
    const strangers = [...this.#clients].filter((client) => !client.initialized).length;
    const client = new Client(`client-${++this.#clientsEver}`, transport, origin, this);
    this.#clients.add(client);
    this.events.emit("client.connected", { client: client.name, via: origin.via });
    client.start();
    if (this.#stopping || strangers >= STRANGERS) client.destroy();
  }

  // For clients

  admit(client: Client): void {
    const { clients } = this.#parts.roster.limits;
    const admitted = [...this.#clients].filter((other) => other !== client && other.initialized).length;
    if (this.#stopping) throw shuttingDown();
    if (admitted < clients) return;
    throw failure("too_many_sessions", `${clients} clients are connected already (limits.clients).`, {
      limit: clients,
    });
  }

  left(client: Client): void {
    this.#clients.delete(client);
    this.events.emit("client.closed", { client: client.name });
    for (const session of this.#sessions.values()) this.#forgetIfIdle(session);
  }

  slot(name: string | undefined): Slot {
    const [first] = this.slots.values();
    const slot = name === undefined ? first : this.slots.get(name);
    if (slot) return slot;
    const names = [...this.slots.keys()];
    throw invalidParams(`There is no slot "${name}"; there are: ${names.join(", ")}.`, {
      slot: name,
      slots: names,
    });
  }

  liveSession(id: string): Session | undefined {
    return this.#sessions.get(id);
  }

  session(id: string): Session {
    const live = this.#sessions.get(id);
    if (live) return live;
    const files = this.#catalog.get(id) && SessionFiles.open(id, this.#filesParts);
    if (!files) throw sessionNotFound(id);
    this.#recover(files);
    const { slot: slotName } = files.memory;
    const slot = this.slots.get(slotName) ?? this.#goneSlot(slotName);
    const session = new Session(files, slot, this.#sessionParts);
    this.#sessions.set(id, session);
    return session;
  }

  openSession({ slot, cwd, additionalDirectories, mcpServers }: NewSession): Opening {
    if (this.#stopping) throw shuttingDown();
    const { sessions: limit } = this.#parts.roster.limits;
    if (this.#catalog.size >= limit) {
      throw failure(
        "too_many_sessions",
        `The hall keeps ${limit} sessions already (limits.sessions); delete some.`,
        {
          limit,
        },
      );
    }
    const id = `hs_${randomBytes(16).toString("hex")}`;
    const created = {
      type: "created",
      at: this.clock.now(),
      slot: slot.name,
      cwd,
      additionalDirectories,
      owner: LOCAL,
      journal: randomBytes(4).toString("hex"),
    } as const;
    const files = SessionFiles.create(id, created, mcpServers, this.#filesParts);
    const session = new Session(files, slot, this.#sessionParts);
    this.#sessions.set(id, session);
    let aborted = false;
    let agentOfIt: Agent | undefined;
    const opened = session
      .begin((agent) => {
        agentOfIt = agent;
        if (aborted) void agent.process.kill();
      })
      .then(
        (result) => {
          this.#catalog.put(summaryOf(session));
          this.events.emit("session.created", { session: id, slot: slot.name });
          return { session, result };
        },
        (error: unknown) => {
          this.#sessions.delete(id);
          files.remove();
          throw error;
        },
      );
    const abort = (): void => {
      aborted = true;
      void agentOfIt?.process.kill();
    };
    return { opened, abort };
  }

  /** A session that nobody will come back to: nothing was ever asked in it. */
  discard(session: Session): void {
    void this.deleteSession(session.id).catch((error: unknown) =>
      this.#parts.noticed(`session ${session.id} could not be removed`, error),
    );
  }

  async deleteSession(id: string): Promise<void> {
    if (!this.#catalog.get(id) && !this.#sessions.has(id)) return;
    const session = this.session(id);
    this.#catalog.remove(id);
    this.#sessions.delete(id);
    await session.delete();
  }

  list(cursor: string | undefined, cwd: string | undefined): { sessions: Summary[]; next?: string } {
    return this.#catalog.page(cursor, cwd, LOCAL);
  }

  journalName(session: Session): string {
    return `${this.#parts.state.epoch}-${session.files.memory.journal}`;
  }

  control(call: Call, client: Client): boolean {
    return this.#parts.control?.(call, client) ?? false;
  }

  noticed(what: string, detail?: unknown): void {
    this.#parts.noticed(what, detail);
  }

  async initializeAnswer(slot: Slot): Promise<Fields> {
    const { agentCapabilities, authMethods } = await slot.learn();
    const { promptCapabilities, mcpCapabilities, auth } = agentCapabilities;
    return {
      protocolVersion: 1,
      agentInfo: { name: "hall", title: "hall", version: this.#parts.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { ...(promptCapabilities as Fields | undefined), embeddedContext: true },
        ...(mcpCapabilities ? { mcpCapabilities } : {}),
        ...(auth ? { auth } : {}),
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
        _meta: { "hall/slots": this.#sessionParts.slotChoices },
      },
      authMethods: remoteAuthMethods(authMethods),
    };
  }

  /** Stops: nothing new; what waits is refused, what runs has `drain` ms, then the ladder; then the agents end. */
  async stop(drain: number): Promise<void> {
    this.#stopping = true;
    this.events.emit("hall.stopping", {});
    this.places.refuseAll(shuttingDown());
    const sessions = [...this.#sessions.values()];
    for (const session of sessions) {
      for (const turn of session.turns.open) session.turns.withdraw(turn, shuttingDown());
    }
    const over = Promise.all(sessions.map((session) => session.turns.untilOver()));
    const noMore = this.clock.after(drain, () => this.#cancelAll());
    await over;
    noMore();
    await Promise.all([
      ...sessions.map((session) => session.retire()),
      ...[...this.slots.values()].map((slot) => slot.dropSpare()),
    ]);
    await this.#closeClients();
    this.#catalog.close();
  }

  /** Nobody waits any more for what still runs: its processes are killed. */
  hurry(): void {
    this.#cancelAll();
    for (const slot of this.slots.values()) for (const agent of slot.agents) void agent.process.kill();
  }

  // Small things

  /** What is pending is sent; who does not take it in time goes without. */
  async #closeClients(): Promise<void> {
    const late = this.clock.after(CLOSE_WITHIN_MS, () => {
      for (const client of [...this.#clients]) client.destroy();
    });
    await Promise.all([...this.#clients].map((client) => client.end()));
    late();
  }

  #cancelAll(): void {
    for (const session of this.#sessions.values()) session.turns.cancelAll();
  }

  get #fileParts() {
    const { disk, clock, noticed } = this.#parts;
    return { disk, clock, noticed };
  }

  get #filesParts() {
    return { ...this.#fileParts, folder: this.#parts.state.sessionsFolder };
  }

  #makeSlot(config: SlotConfig, starts: Starts, learned: Learned): Slot {
    const { ways, launch, environment, spawn } = this.#parts.agents(config);
    return new Slot(config, {
      clock: this.clock,
      places: this.places,
      starts,
      learned,
      ways,
      launch,
      environment,
      spawn,
      clientParams: clientParams(config, ways, this.#parts.version),
      agent: {
        lineLimit: this.#parts.roster.limits.line,
        mask: (text) => this.#mask(text),
        noticed: (what, detail) => this.#parts.noticed(`slot ${config.name}: ${what}`, detail),
      },
      started: (agent) => this.#watch(agent),
    });
  }

  #watch(agent: Agent): void {
    const { process, slot } = agent;
    const ids = { slot, pid: process.pid, process: process.number };
    this.events.emit("process.started", ids);
    agent.onGone(() => {
      const { code = null, signal = null } = process.exit ?? {};
      this.events.emit("process.exited", { ...ids, code, signal });
    });
  }

  #mask(text: string): string {
    return this.#parts.roster.secrets.reduce((masked, secret) => masked.replaceAll(secret, "***"), text);
  }

  *#readAll(): Iterable<Summary> {
    const { disk, state } = this.#parts;
    for (const id of disk.list(state.sessionsFolder)) {
      const files = SessionFiles.open(id, this.#filesParts);
      if (!files) continue;
      this.#recover(files);
      yield summaryOfFiles(files);
    }
  }

  #recover(files: SessionFiles): void {
    const { interrupted, damaged } = files.recover(this.clock.now());
    for (const turn of interrupted) this.#parts.noticed(`turn ${turn.id} of ${files.id} was interrupted`);
    if (!damaged) return;
    this.#parts.noticed(`the last line of ${files.id}'s journal was torn and has been cut off`);
    files.write({ type: "renamed", at: this.clock.now(), journal: randomBytes(4).toString("hex") });
  }

  /** Sessions end with their client when nothing was asked in them; a killed hall could not see to that. */
  #dropSessionsWithoutTurns(): void {
    for (const summary of [...this.#catalog.all]) {
      if (summary.turns > 0) continue;
      this.#catalog.remove(summary.id);
      SessionFiles.open(summary.id, this.#filesParts)?.remove();
    }
  }

  #forgetIfIdle(session: Session): void {
    const unwatched = [...session.stream.seats].length === 0;
    if (unwatched && session.dormant && this.#sessions.get(session.id) === session)
      this.#sessions.delete(session.id);
  }

  #goneSlot(name: string): Slot {
    throw failure(
      "slot_gone",
      `This session ran in slot "${name}", which the roster no longer has; put it back.`,
      {
        slot: name,
      },
    );
  }
}

function summaryOf(session: Session): Summary {
  return { ...summaryOfFiles(session.files), slot: session.slot.name };
}

function summaryOfFiles({ id, memory }: SessionFiles): Summary {
  const { slot, cwd, additionalDirectories, owner, title, updatedAt, turns } = memory;
  return { id, slot, cwd, additionalDirectories, owner, title, updatedAt, turns: turns.size };
}

/** What every agent is told of its client, whoever comes later: so nothing has to be filtered then. */
function clientParams({ clientCapabilities }: SlotConfig, ways: Ways, version: string): Fields {
  const fs = ways.fs !== "off";
  return {
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

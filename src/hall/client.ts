import fs from "node:fs";
import path from "node:path";
import { AgentSide, type Call, type ClientCapabilities } from "../acp/agent-side.ts";
import {
  absolutePath,
  additionalDirectories,
  type Fields,
  mcpServers,
  metaOf,
  optionalString,
  requiredArray,
  requiredString,
} from "../acp/checks.ts";
import { promptBlocks } from "../acp/content.ts";
import { invalidParams, RpcError, requestCancelled } from "../acp/errors.ts";
import { AgentMethod, CANCEL, CANCEL_REQUEST, isExtension } from "../acp/methods.ts";
import type { Clock } from "../ground/clock.ts";
import type { Id } from "../wire/message.ts";
import type { Settle } from "../wire/peer.ts";
import type { Edit } from "../wire/splice.ts";
import type { Transport } from "../wire/transport.ts";
import { type Agent, AgentError } from "./agent.ts";
import type { Attachment } from "./attachment.ts";
import { type Summary, sessionInfo } from "./catalog.ts";
import type { NewSession, Opening } from "./hall.ts";
import type { Origin } from "./origin.ts";
import { type Session, withoutHallKeys } from "./session.ts";
import { SLOT_OPTION } from "./settings.ts";
import type { Slot } from "./slot.ts";
import type { TurnEnd } from "./turn.ts";
import type { SessionTurn } from "./turns.ts";
import type { Viewer } from "./viewer.ts";

/** What the connection holds back before a client counts as one that does not read. */
const BLOCKED_BYTES = 256 * 1024;
/** Bytes of a line, and milliseconds without `initialize`, until a client is accepted. */
const LINE_BEFORE_BYTES = 64 * 1024;
const INITIALIZE_WITHIN_MS = 10_000;

/** The hall, as a client needs it. */
export interface ClientHall {
  clock: Clock;
  lineLimit: number;
  /** Throws -32602, naming the slots that there are. */
  slot(name: string | undefined): Slot;
  /** Throws -32002. */
  session(id: string): Session;
  /** A session that is in memory: one that something can be going on in. */
  liveSession(id: string): Session | undefined;
  openSession(wanted: NewSession): Opening;
  discard(session: Session): void;
  deleteSession(id: string): Promise<void>;
  list(cursor: string | undefined, cwd: string | undefined): { sessions: Summary[]; next?: string };
  journalName(session: Session): string;
  initializeAnswer(slot: Slot): Promise<Fields>;
  /** Throws when it is full of clients. */
  admit(client: Client): void;
  /** A control method. False: there is none of this name. */
  control(call: Call, client: Client): boolean;
  left(client: Client): void;
  noticed(what: string, detail?: unknown): void;
}

/** One connected peer in front: what it asks, and what it looks at. */
export class Client implements Viewer {
  readonly name: string;
  readonly origin: Origin;
  echo = false;
  gone = false;
  canAnswer = true;
  readonly #hall: ClientHall;
  readonly #side: AgentSide;
  readonly #transport: Transport;
  readonly #sessions = new Set<Session>();
  /** How an open request of the client's is taken back. */
  readonly #takeBack = new Map<Call, () => void>();
  /** Sessions that are being opened for it: nobody else would want them. */
  readonly #openings = new Map<Call, () => void>();
  readonly #lagging = new Set<Attachment>();
  #pumpArmed = false;
  #slot: Slot | undefined;
  #closed = false;
  #onClosed = (): void => {};

  constructor(name: string, transport: Transport, origin: Origin, hall: ClientHall) {
    this.name = name;
    this.origin = origin;
    this.#hall = hall;
    this.#transport = transport;
    const limits = {
      lineBefore: LINE_BEFORE_BYTES,
      line: hall.lineLimit,
      initializeWithin: INITIALIZE_WITHIN_MS,
    };
    const handlers = {
      initialize: (params: Fields) => this.#initialize(params),
      request: (call: Call) => this.#request(call),
      notification: (method: string, params: Fields) => this.#notification(method, params),
      cancelled: (call: Call) => this.#takeBack.get(call)?.(),
      answered: (call: Call) => this.#takeBack.delete(call),
      allAnswered: () => this.#closeIfDone(),
      ended: () => this.#ended(),
      closed: () => this.#left(),
      noticed: (what: string, error?: unknown) => hall.noticed(`client ${name}: ${what}`, error),
    };
    this.#side = new AgentSide(transport, limits, handlers, hall.clock);
  }

  start(): void {
    this.#side.start();
  }

  get initialized(): boolean {
    return this.#side.initialized;
  }

  get capabilities(): ClientCapabilities {
    return this.#side.capabilities;
  }

  get local(): boolean {
    return this.origin.local;
  }

  /** Sends what is pending, then ends the connection; resolves when it is over. */
  end(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onClosed = resolve;
      this.#side.peer.close();
    });
  }

  destroy(): void {
    this.#side.peer.destroy();
  }

  // As a viewer of sessions

  get blocked(): boolean {
    return this.#transport.backlog > BLOCKED_BYTES;
  }

  write(lines: Buffer): void {
    this.#side.peer.send(lines);
  }

  relay(line: Buffer, edits: readonly Edit[], settle: Settle): Id {
    return this.#side.peer.relay(line, edits, settle);
  }

  notify(method: string, params: unknown): void {
    this.#side.peer.notify(method, params);
  }

  lags(attachment: Attachment): void {
    this.#lagging.add(attachment);
    this.#armPump();
  }

  #armPump(): void {
    if (this.#pumpArmed || this.#closed) return;
    this.#pumpArmed = true;
    const pump = (): void => {
      this.#pumpArmed = false;
      this.#pump();
    };
    if (this.blocked) this.#transport.onDrain(pump);
    else setImmediate(pump);
  }

  /** Each attachment that lags has its share, in turn, while there is room. */
  #pump(): void {
    for (const attachment of [...this.#lagging]) {
      if (this.blocked) break;
      this.#lagging.delete(attachment);
      if (attachment.pump()) this.#lagging.add(attachment);
    }
    if (this.#lagging.size > 0) this.#armPump();
  }

  // What it asks

  async #initialize(params: Fields): Promise<Fields> {
    const meta = metaOf(params);
    this.#hall.admit(this);
    this.#slot = this.#hall.slot(optionalString(meta, "hall/slot"));
    this.echo = meta["hall/echo"] === true;
    return this.#hall.initializeAnswer(this.#slot);
  }

  #request(call: Call): boolean {
    switch (call.method) {
      case AgentMethod.newSession:
        this.#newSession(call);
        return true;
      case AgentMethod.loadSession:
        this.#load(call);
        return true;
      case AgentMethod.resumeSession:
        this.#resume(call);
        return true;
      case AgentMethod.listSessions:
        this.#list(call);
        return true;
      case AgentMethod.closeSession: {
        const session = this.#session(call.params);
        this.#later(
          call,
          session.close(this, () => call.reply({})),
        );
        return true;
      }
      case AgentMethod.deleteSession:
        this.#later(
          call,
          this.#hall.deleteSession(requiredString(call.params, "sessionId")).then(() => call.reply({})),
        );
        return true;
      case AgentMethod.prompt:
        this.#prompt(call);
        return true;
      case AgentMethod.setMode:
        requiredString(call.params, "modeId");
        this.#relay(call);
        return true;
      case AgentMethod.setConfigOption:
        this.#setConfigOption(call);
        return true;
      case AgentMethod.authenticate:
      case AgentMethod.logout:
        this.#login(call);
        return true;
      default:
        if (this.#hall.control(call, this)) return true;
        if (!isExtension(call.method) || typeof call.params.sessionId !== "string") return false;
        this.#relay(call);
        return true;
    }
  }

  #notification(method: string, params: Fields): void {
    const session =
      typeof params.sessionId === "string" ? this.#hall.liveSession(params.sessionId) : undefined;
    if (method === CANCEL) session?.turns.cancelAll(optionalString(metaOf(params), "hall/turn"));
    else if (isExtension(method)) session?.pass(method, params);
  }

  #newSession(call: Call): void {
    const { params } = call;
    const slot = this.#slotFor(params);
    const cwd = absolutePath(params, "cwd", slot.config.cwd);
    if (!isFolder(cwd)) throw invalidParams(`"cwd" must be a folder that is there: ${cwd} is not.`, { cwd });
    const opening = this.#hall.openSession({
      slot,
      cwd,
      additionalDirectories: additionalDirectories(params),
      mcpServers: mcpServers(params),
    });
    this.#openings.set(call, opening.abort);
    this.#takeBack.set(call, () => {
      opening.abort();
      call.fail(requestCancelled("The new session"));
    });
    const opened = opening.opened.then(({ session, result }) => {
      if (call.answered || this.#closed) {
        this.#hall.discard(session);
        return;
      }
      const meta = { ...this.#meta(session, 0), "hall/slot": session.slot.name };
      call.reply({ ...result, sessionId: session.id, _meta: { ...metaOf(result), ...meta } });
      this.#attach(session, 0);
    });
    this.#later(
      call,
      opened.finally(() => this.#openings.delete(call)),
    );
  }

  #load(call: Call): void {
    const session = this.#returning(call);
    const { end } = session.stream;
    this.#attach(session, 0, () =>
      call.reply({ ...session.settingsResult, _meta: this.#meta(session, end) }),
    );
  }

  #resume(call: Call): void {
    const session = this.#returning(call);
    const from = this.#cursor(session, metaOf(call.params));
    const { end } = session.stream;
    this.#attach(session, from, () =>
      call.reply({ ...session.settingsResult, _meta: this.#meta(session, end) }),
    );
  }

  #list(call: Call): void {
    const { params } = call;
    const cwd = params.cwd === undefined || params.cwd === null ? undefined : absolutePath(params, "cwd");
    const cursor =
      params.cursor === undefined || params.cursor === null ? undefined : requiredString(params, "cursor");
    const { sessions, next } = this.#hall.list(cursor, cwd);
    call.reply({ sessions: sessions.map(sessionInfo), ...(next === undefined ? {} : { nextCursor: next }) });
  }

  #prompt(call: Call): void {
    const session = this.#session(call.params);
    const blocks = promptBlocks(requiredArray(call.params, "prompt"));
    if (blocks.length === 0) throw invalidParams('"prompt" must hold at least one content block.');
    this.#attach(session);
    const { sessionId: _sessionId, prompt: _prompt, ...extras } = withoutHallKeys(call.params);
    const key = optionalString(metaOf(call.params), "hall/turn");
    const turn = session.turns.accept(
      { blocks, extras, key },
      {
        sender: this,
        requestId: call.id,
        answer: (id, end, cursor) => this.#answerPrompt(call, session, id, end, cursor),
      },
    );
    if (turn) this.#takeBack.set(call, () => this.#takePromptBack(call, session, turn));
  }

  #answerPrompt(call: Call, session: Session, turn: string, end: TurnEnd, cursor: number): void {
    const say = (): void => {
      if ("failure" in end) call.fail(end.failure);
      else if ("error" in end) call.fail(new AgentError(end.error.code, end.error.message, end.error.data));
      else {
        const meta = { ...metaOf(end.result), "hall/turn": turn, ...this.#meta(session, cursor) };
        call.reply({ ...end.result, _meta: meta });
      }
    };
    const seat = session.stream.seatOf(this);
    if (seat) seat.attachment.post(cursor, say);
    else say();
  }

  #takePromptBack(call: Call, session: Session, turn: SessionTurn): void {
    if (session.turns.withdraw(turn, requestCancelled("The prompt"))) return;
    if (!call.answered) session.turns.cancel(turn);
  }

  #setConfigOption(call: Call): void {
    const configId = requiredString(call.params, "configId");
    if (configId !== SLOT_OPTION) {
      this.#relay(call);
      return;
    }
    const session = this.#session(call.params);
    session.changeSlot(requiredString(call.params, "value"), (outcome) => {
      if ("failure" in outcome) call.fail(outcome.failure);
      else {
        const seat = session.stream.seatOf(this);
        const say = (): void => call.reply(outcome.result);
        if (seat) seat.attachment.post(session.stream.end, say);
        else say();
      }
    });
  }

  #relay(call: Call): void {
    const session = this.#session(call.params);
    this.#later(call, session.relay(call, this, this.#cancellable(call)));
  }

  /** About the agent's own login: never about who may use the hall. */
  #login(call: Call): void {
    const slot = this.#slot ?? this.#hall.slot(undefined);
    const relayed = this.#cancellable(call);
    const answered = slot.forLogin().then((agent) => {
      const id = agent.request(call.method, call.params, (reply) => {
        if (!reply.ok && reply.lost) agent.onGone(() => call.fail(agent.exitFailure()));
        else if (reply.bytes) {
          agent.loggedIn = reply.ok && call.method === AgentMethod.authenticate;
          call.relay(reply.bytes);
        }
      });
      relayed(agent, id);
    });
    this.#later(call, answered);
  }

  /** A relayed request is taken back from the agent that has it, or as soon as one has it. */
  #cancellable(call: Call): (agent: Agent, id: Id) => void {
    let takenBack = false;
    this.#takeBack.set(call, () => {
      takenBack = true;
    });
    return (agent, requestId) => {
      const takeBack = (): void => agent.notify(CANCEL_REQUEST, { requestId });
      if (takenBack) takeBack();
      else this.#takeBack.set(call, takeBack);
    };
  }

  // Small things

  /** The answer comes later, from `work`; if that fails, its failure is the answer. */
  #later(call: Call, work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (!(error instanceof RpcError)) this.#hall.noticed(`${call.method} met a defect`, error);
      if (!call.answered) call.fail(error);
    });
  }

  #slotFor(params: Fields): Slot {
    const named = optionalString(metaOf(params), "hall/slot") ?? optionalString(params, "raiderName");
    return named === undefined ? (this.#slot ?? this.#hall.slot(undefined)) : this.#hall.slot(named);
  }

  #session(params: Fields): Session {
    return this.#hall.session(requiredString(params, "sessionId"));
  }

  /** The session that a load or resume names: the same folder, and the servers and folders of now. */
  #returning(call: Call): Session {
    const session = this.#session(call.params);
    const { memory } = session.files;
    const cwd = absolutePath(call.params, "cwd", memory.cwd);
    if (path.resolve(cwd) !== path.resolve(memory.cwd)) {
      throw invalidParams(`This session's cwd is ${memory.cwd}; it cannot be another.`, { cwd: memory.cwd });
    }
    session.returnWith(additionalDirectories(call.params), mcpServers(call.params));
    return session;
  }

  #attach(session: Session, cursor?: number, answer?: () => void): void {
    this.#sessions.add(session);
    session.attach(this, cursor, answer);
  }

  /** The cursor that a resume names, checked. */
  #cursor(session: Session, meta: Fields): number | undefined {
    const cursor = meta["hall/cursor"];
    const name = meta["hall/journal"];
    if (cursor === undefined) return undefined;
    const journal = this.#hall.journalName(session);
    const { end } = session.stream;
    const wrong = (what: string): RpcError =>
      invalidParams(`The cursor ${what}; load the session to see it whole.`, {
        kind: "bad_cursor",
        journal,
        cursor: end,
      });
    if (name !== undefined && name !== journal) throw wrong("is of a journal that is gone");
    if (typeof cursor !== "number" || !Number.isInteger(cursor) || cursor < 0)
      throw wrong("is no byte position");
    if (cursor > end) throw wrong("lies past the end");
    if (!session.files.journal.file.isLineStart(cursor)) throw wrong("is not where a line begins");
    return cursor;
  }

  #meta(session: Session, cursor: number): Fields {
    return { "hall/journal": this.#hall.journalName(session), "hall/cursor": cursor };
  }

  #ended(): void {
    this.gone = true;
    for (const session of this.#sessions) session.viewerGone(this);
    this.#closeIfDone();
  }

  #closeIfDone(): void {
    if (this.gone && !this.#side.owesAnswers) this.#side.peer.close();
  }

  #left(): void {
    this.gone = true;
    this.#closed = true;
    this.#lagging.clear();
    for (const abort of this.#openings.values()) abort();
    for (const session of this.#sessions) {
      session.detach(this);
      if (!session.hasTurns && session.stream.audience.length === 0) this.#hall.discard(session);
    }
    this.#sessions.clear();
    this.#hall.left(this);
    this.#onClosed();
  }
}

function isFolder(folder: string): boolean {
  try {
    return fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    // Part of the way there is no folder, or may not be looked into.
    return false;
  }
}

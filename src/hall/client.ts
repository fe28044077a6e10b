import { AgentSide, type Call, type ClientCapabilities } from "../acp/agent-side.ts";
import { type Fields, isFields, metaOf, optionalString } from "../acp/checks.ts";
import { failure } from "../acp/errors.ts";
import { HallKey, HallMethod } from "../acp/extensions.ts";
import type { Id } from "../wire/message.ts";
import type { Settle } from "../wire/peer.ts";
import type { Transport } from "../wire/transport.ts";
import type { Attachment } from "./attachment.ts";
import { type Grant, LOCAL, NOTHING } from "./grant.ts";
import type { Hall } from "./hall.ts";
import type { Named } from "./names.ts";
import type { Origin } from "./origin.ts";
import { Pump } from "./pump.ts";
import { Requests } from "./requests.ts";
import { neededFor } from "./scopes.ts";
import type { Session } from "./session.ts";
import type { Viewer } from "./viewer.ts";
import type { Looking } from "./viewers.ts";

/** Bytes of a line, and milliseconds without `initialize`, until a client is accepted. */
const LINE_BEFORE_BYTES = 64 * 1024;
const INITIALIZE_WITHIN_MS = 10_000;
/** Characters of a client's own name that are told on. */
const LONGEST_PROGRAM = 64;

const HOW_TO_GET = {
  admin: "call it on the hall's UNIX socket, or with a token that has it",
  other: "ask whoever runs the hall for a token that has it",
};

/** Characters that a client's name may have. */
const NAME_CHARACTERS = 128;

/** One connected peer in front, and the sessions that it looks at. One that gave itself a name may come back. */
export class Client implements Viewer, Named {
  readonly name: string;
  title: string;
  readonly origin: Origin;
  echo = false;
  /** The mark of the agent process that it was started in, as it says. */
  inside: string | undefined;
  gone = false;
  canAnswer = true;
  /** What it may do: nothing until it is let in. */
  grant: Grant = NOTHING;
  /** The name that it gave itself. */
  #ownName: string | undefined;
  /** It came back by another connection, which has its place. */
  #heir: Client | undefined;
  readonly #hall: Hall;
  readonly #side: AgentSide;
  readonly #pump: Pump;
  readonly #requests: Requests;
  /** Sessions that it has looked at. */
  readonly #seen = new Set<string>();
  #closed = false;
  #onClosed: (() => void)[] = [];

  constructor(name: string, transport: Transport, origin: Origin, hall: Hall) {
    this.name = name;
    this.title = name;
    this.origin = origin;
    this.#hall = hall;
    this.#pump = new Pump(transport, (error) => {
      hall.noticed(`${name} could not be read to and is disconnected`, error);
      this.destroy();
    });
    const requests = new Requests(hall, this);
    this.#requests = requests;
    const limits = {
      lineBefore: LINE_BEFORE_BYTES,
      line: hall.lineLimit,
      initializeWithin: INITIALIZE_WITHIN_MS,
    };
    const handlers = {
      initialize: (params: Fields) => this.#initialize(params),
      request: (call: Call) => {
        this.#check(call.method);
        return requests.take(call);
      },
      notification: (method: string, params: Fields) => requests.notified(method, params),
      cancelled: (call: Call) => requests.takeBack(call),
      answered: (call: Call) => requests.answered(call),
      allAnswered: () => this.#closeIfDone(),
      ended: () => this.#ended(),
      closed: () => this.#left(),
      noticed: (what: string, error?: unknown) => hall.noticed(`${name}: ${what}`, error),
    };
    this.#side = new AgentSide(transport, limits, handlers, hall.clock);
  }

  start(): void {
    this.#side.start();
  }

  get initialized(): boolean {
    return this.#side.initialized;
  }

  get closed(): boolean {
    return this.#closed;
  }

  get capabilities(): ClientCapabilities {
    return this.#side.capabilities;
  }

  get local(): boolean {
    return this.origin.local;
  }

  get mayApprove(): boolean {
    return this.grant.may("approve");
  }

  get returns(): boolean {
    return this.#ownName !== undefined;
  }

  get blocked(): boolean {
    return this.#pump.blocked;
  }

  write(lines: Buffer): void {
    this.#side.peer.send(lines);
  }

  relay(line: Buffer, settle: Settle): Id {
    return this.#side.peer.relay(line, settle);
  }

  forget(id: Id): void {
    this.#side.peer.forget(id);
  }

  notify(method: string, params: unknown): void {
    this.#side.peer.notify(method, params);
  }

  /** Calls once when it has taken what was written, or is gone. */
  onDrain(ring: () => void): void {
    this.#side.peer.transport.onDrain(ring);
  }

  /** Calls once when its connection is over. */
  onClosed(ring: () => void): void {
    if (this.#closed) ring();
    else this.#onClosed.push(ring);
  }

  lags(attachment: Attachment): void {
    this.#pump.add(attachment);
  }

  /** It looks at a session from now on, as `call` asks: see `Session.attach`. */
  attach(session: Session, call: Call, looking: Omit<Looking, "begins"> = {}): void {
    this.sees(session.id);
    session.viewers.attach(this, { ...looking, begins: (from) => this.#placed(session, call, from) });
  }

  /** It, or whoever has its place by now, has to do with a session. */
  sees(sessionId: string): void {
    if (this.#heir) this.#heir.sees(sessionId);
    else this.#seen.add(sessionId);
  }

  passTo(heir: Client): void {
    this.#heir = heir;
    for (const session of this.#hall.sessions.live) session.viewers.inherit(this, heir);
    for (const id of this.#seen) heir.sees(id);
    this.gone = true;
    this.destroy();
  }

  missed(): void {
    for (const session of this.#hall.sessions.live) session.viewers.missed(this);
  }

  givenUp(): void {
    this.#ownName = undefined;
    this.#leave();
  }

  /** It will not come back: from now on it is as one without a name. */
  farewell(): void {
    if (this.#ownName !== undefined) this.#hall.names.forget(this.#ownName);
    this.#ownName = undefined;
  }

  /** Ends the connection once each open request has its answer; resolves when it is over. */
  end(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      this.onClosed(resolve);
      this.gone = true;
      this.#closeIfDone();
    });
  }

  giveUp(what: string): void {
    this.#hall.noticed(`${this.name} does not read and is disconnected: ${what} wait for it`);
    this.destroy();
  }

  destroy(): void {
    this.#side.peer.destroy();
  }

  async #initialize(params: Fields): Promise<Fields> {
    const meta = metaOf(params);
    const name = nameIn(meta);
    await this.#showToken(meta[HallKey.token]);
    this.title = this.#titleWith(params.clientInfo);
    const { owner, slots } = this.grant;
    // A name is good for whoever gave it, and for nobody else.
    const ownName = name === undefined ? undefined : `${owner} ${name}`;
    const named = optionalString(meta, HallKey.slot);
    const slot = this.#hall.slots.choose(named, slots);
    this.#hall.admit(this, ownName);
    this.#requests.slot = named;
    this.echo = meta[HallKey.echo] === true;
    this.inside = optionalString(meta, HallKey.process);
    if (ownName !== undefined) {
      this.#ownName = ownName;
      this.#hall.names.take(ownName, this);
    }
    return this.#hall.introduction(slot, howToAsk(meta), slots);
  }

  /** Its program, its connection, and the token that it came in by: who answered is read in the record long after. */
  #titleWith(clientInfo: unknown): string {
    const { owner, name } = this.grant;
    const program = isFields(clientInfo) ? optionalString(clientInfo, "name") : undefined;
    const connection = owner === LOCAL ? this.name : `${this.name}, token ${name}`;
    return program ? `${program.slice(0, LONGEST_PROGRAM)} (${connection})` : connection;
  }

  /** Who is not let in hears why, and the connection ends. */
  async #showToken(token: unknown): Promise<void> {
    const { events, gate } = this.#hall;
    const { via, address } = this.origin;
    try {
      this.grant = await gate.grant(this.origin, token);
    } catch (error) {
      this.gone = true;
      throw error;
    }
    events.emit("client.admitted", { client: this.name, as: this.grant.name, via, address });
  }

  /** Throws `not_authorized`. */
  #check(method: string): void {
    const { events, gate } = this.#hall;
    const scope = neededFor(method, gate.isShared);
    if (scope === undefined || this.grant.may(scope)) return;
    events.emit("client.denied", { client: this.name, as: this.grant.name, method, scope });
    throw failure(
      "not_authorized",
      `${method} needs the scope ${scope}: ${HOW_TO_GET[scope === "admin" ? "admin" : "other"]}.`,
      {
        scope,
      },
    );
  }

  /** It sends nothing more: it is asked nothing and called for nothing, and hears what it still waits for. */
  #ended(): void {
    this.gone = true;
    for (const session of this.#hall.sessions.live) session.viewers.silent(this);
    this.#away();
    this.#closeIfDone();
  }

  #closeIfDone(): void {
    if (this.gone && !this.#side.owesAnswers) this.#side.peer.close();
  }

  #left(): void {
    this.gone = true;
    this.#closed = true;
    this.#pump.stop();
    this.#requests.abandon();
    if (!this.#heir) this.#lost();
    this.#hall.left(this);
    for (const ring of this.#onClosed.splice(0)) ring();
  }

  #lost(): void {
    if (!this.returns) {
      this.#leave();
      return;
    }
    for (const session of this.#hall.sessions.live) session.viewers.lost(this);
    this.#away();
  }

  /** From now on its place is kept for as long as it may take to come back. */
  #away(): void {
    if (this.#ownName !== undefined && !this.#hall.stopping) this.#hall.names.lost(this.#ownName, this);
  }

  #leave(): void {
    for (const session of this.#hall.sessions.live) session.viewers.detach(this);
    for (const id of this.#seen) this.#hall.sessions.leftBehind(id);
  }

  /** Whoever means to come back counts bytes from here on: said before the first of them. */
  #placed(session: Session, call: Call, cursor: number): void {
    if (!this.returns) return;
    const journal = this.#hall.sessions.journalName(session);
    this.notify(HallMethod.cursor, { sessionId: session.id, requestId: call.id, journal, cursor });
  }
}

/**
 * Whoever only wants to know how the hall is starts no agent for it. A hall that comes while this one asks may be what
 * it asks: in a ring of halls each would wait for the next.
 */
function howToAsk(meta: Fields): "patiently" | "if nobody else does" | "not" {
  if (meta[HallKey.control] === true) return "not";
  return meta[HallKey.via] === undefined ? "patiently" : "if nobody else does";
}

/** The name that a client gives itself, good for coming back under it. */
function nameIn(meta: Fields): string | undefined {
  const name = optionalString(meta, HallKey.client);
  return name !== undefined && name.length > 0 && name.length <= NAME_CHARACTERS ? name : undefined;
}

import { AgentSide, type Call, type ClientCapabilities } from "../acp/agent-side.ts";
import { type Fields, metaOf, optionalString } from "../acp/checks.ts";
import { failure } from "../acp/errors.ts";
import type { Id } from "../wire/message.ts";
import type { Settle } from "../wire/peer.ts";
import type { Transport } from "../wire/transport.ts";
import type { Attachment } from "./attachment.ts";
import { type Grant, NOTHING } from "./grant.ts";
import type { Hall } from "./hall.ts";
import type { Origin } from "./origin.ts";
import { Pump } from "./pump.ts";
import { Requests } from "./requests.ts";
import { neededFor } from "./scopes.ts";
import type { Session } from "./session.ts";
import type { Viewer } from "./viewer.ts";

/** Bytes of a line, and milliseconds without `initialize`, until a client is accepted. */
const LINE_BEFORE_BYTES = 64 * 1024;
const INITIALIZE_WITHIN_MS = 10_000;

const HOW_TO_GET = {
  admin: "call it on the hall's UNIX socket, or with a token that has it",
  other: "ask whoever runs the hall for a token that has it",
};

/** One connected peer in front, and the sessions that it looks at. */
export class Client implements Viewer {
  readonly name: string;
  readonly origin: Origin;
  echo = false;
  gone = false;
  canAnswer = true;
  /** What it may do: nothing until it is let in. */
  grant: Grant = NOTHING;
  readonly #hall: Hall;
  readonly #side: AgentSide;
  readonly #pump: Pump;
  readonly #requests: Requests;
  /** Sessions that it has looked at. */
  readonly #seen = new Set<string>();
  #closed = false;
  #onClosed = (): void => {};

  constructor(name: string, transport: Transport, origin: Origin, hall: Hall) {
    this.name = name;
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
      notification: (method: string, params: Fields) => {
        if (this.grant.may("prompt")) requests.notified(method, params);
      },
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

  lags(attachment: Attachment): void {
    this.#pump.add(attachment);
  }

  /** It looks at a session from now on: see `Session.attach`. */
  attach(session: Session, cursor?: number, answer?: () => void): void {
    this.#seen.add(session.id);
    session.attach(this, cursor, answer);
  }

  /** Ends the connection once each open request has its answer; resolves when it is over. */
  end(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onClosed = resolve;
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
    this.#hall.admit(this);
    await this.#showToken(meta["hall/token"]);
    const { slots } = this.grant;
    const slot = this.#hall.slots.choose(optionalString(meta, "hall/slot"), slots);
    this.#requests.slot = slot;
    this.echo = meta["hall/echo"] === true;
    // Whoever only wants to know how the hall is starts no agent for it.
    return this.#hall.introduction(slot, meta["hall/control"] !== true, slots);
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
    for (const session of this.#hall.sessions.live) session.viewerGone(this);
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
    for (const session of this.#hall.sessions.live) session.detach(this);
    for (const id of this.#seen) this.#hall.sessions.leftBehind(id);
    this.#hall.left(this);
    this.#onClosed();
  }
}

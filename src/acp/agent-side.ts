import { type Cancel, type Clock, systemClock } from "../ground/clock.ts";
import { type Id, isId } from "../wire/message.ts";
import { type IncomingRequest, Peer } from "../wire/peer.ts";
import type { Transport } from "../wire/transport.ts";
import { type Fields, fieldsOf, isFields, protocolVersion } from "./checks.ts";
import { Code, errorBody, HallFailure, invalidRequest, methodNotFound, RpcError } from "./errors.ts";
import { AgentMethod, CANCEL, CANCEL_REQUEST } from "./methods.ts";

/** A client's request, on its way to exactly one answer. */
export interface Call {
  readonly id: Id;
  readonly method: string;
  readonly params: Fields;
  readonly answered: boolean;
  reply(result: unknown): void;
  fail(error: unknown): void;
  /** Answers with another peer's answering line, every byte but the id as it came. */
  relay(answer: Buffer): void;
  /** Leaves it without an answer, before the connection ends: its client will ask for the outcome otherwise. */
  leave(): void;
}

export interface AgentHandlers {
  /** Answers the first `initialize`, now or later; what the client sends meanwhile waits. */
  initialize(params: Fields): Promise<Fields>;
  /** A request after `initialize`. False: there is no such method. May throw what goes into the answer. */
  request(call: Call): boolean;
  notification(method: string, params: Fields): void;
  /** The client takes back a request that is still open. */
  cancelled(call: Call): void;
  /** A request has its answer. */
  answered(call: Call): void;
  /** No request of the client's is open any more. */
  allAnswered(): void;
  /** The client sends nothing more; open requests may still be answered. */
  ended(): void;
  closed(): void;
  /** Worth a line in the log: what a client did wrong, or a defect of ours. */
  noticed(what: string, error?: unknown): void;
}

export interface ClientCapabilities {
  readTextFile: boolean;
  writeTextFile: boolean;
  terminal: boolean;
  elicitationForm: boolean;
  elicitationUrl: boolean;
  /** The client logs in by itself: it would take any -32000 for "log in". */
  login: boolean;
}

export interface AgentSideLimits {
  /** Bytes of a line, before and after `initialize` was accepted. */
  lineBefore: number;
  line: number;
  /** How long a connection may stay without `initialize`; undefined: for ever. */
  initializeWithin: number | undefined;
}

type Stage = "waiting" | "initializing" | "ready";

/** Requests of one connection that may be open at once. */
const OPEN_LIMIT = 10_000;
/** What may wait for a client beside one longest line: more can only be answers to one that asks and does not read. */
const UNREAD_BYTES = 1024 * 1024;
/** How long a client that is sent away has to read why. */
const LEAVE_WITHIN_MS = 2_000;

/**
 * ACP served to one connected client: what any agent does, a hall too. Envelopes are answered here, and the
 * order of a life is kept: `initialize` first, what is sent behind it in the same breath after its answer.
 */
export class AgentSide {
  readonly peer: Peer;
  capabilities: ClientCapabilities = clientCapabilities({});
  readonly #handlers: AgentHandlers;
  readonly #limits: AgentSideLimits;
  readonly #calls = new Map<Id, ClientCall>();
  readonly #clock: Clock;
  #stage: Stage = "waiting";
  #held: (() => void)[] = [];
  #answer: Fields | undefined;
  #deadline: Cancel = () => {};
  #unread = false;

  constructor(
    transport: Transport,
    limits: AgentSideLimits,
    handlers: AgentHandlers,
    clock: Clock = systemClock,
  ) {
    this.#handlers = handlers;
    this.#limits = limits;
    this.#clock = clock;
    this.peer = new Peer(transport, limits.lineBefore, {
      request: (request) => this.#inOrder(() => this.#request(request)),
      notification: (method, params) => this.#inOrder(() => this.#notification(method, params)),
      fault: (fault) => {
        handlers.noticed(fault.message);
        if (!fault.isResponse) this.peer.complain(fault.id, { code: fault.code, message: fault.message });
      },
      stray: (id) => handlers.noticed(`an answer to nothing that was asked (id ${JSON.stringify(id)})`),
      readEnd: () => this.#holdBack(),
      tooLong: (limit) => this.#turnAway(`The line exceeds ${limit} bytes.`, { limit }),
      ended: () => handlers.ended(),
      closed: () => {
        this.#deadline();
        handlers.closed();
      },
      broke: (error) => handlers.noticed("a line met a defect", error),
    });
    this.#awaitInitialize();
  }

  start(): void {
    this.peer.start();
  }

  get initialized(): boolean {
    return this.#stage === "ready";
  }

  /** Some request of the client's waits for its answer. */
  get owesAnswers(): boolean {
    return this.#calls.size > 0;
  }

  #awaitInitialize(): void {
    const { initializeWithin } = this.#limits;
    if (initializeWithin === undefined) return;
    this.#deadline = this.#clock.after(initializeWithin, () =>
      this.#turnAway("No initialize came in time; the connection is closed."),
    );
  }

  #turnAway(message: string, data?: Fields): void {
    this.#deadline();
    this.peer.complain(null, { code: Code.invalidRequest, message, ...(data ? { data } : {}) });
    this.#handlers.noticed(message);
    this.peer.close();
    this.#deadline = this.#clock.after(LEAVE_WITHIN_MS, () => this.peer.destroy());
  }

  /** Who sends and does not read what it is answered is not read either, until it has. */
  #holdBack(): void {
    const { transport } = this.peer;
    if (this.#unread || transport.backlog <= this.#limits.line + UNREAD_BYTES) return;
    this.#unread = true;
    transport.pause();
    transport.onDrain(() => {
      this.#unread = false;
      this.#readOn();
    });
  }

  #readOn(): void {
    if (!this.#unread && !this.#initializing) this.peer.transport.resume();
  }

  get #initializing(): boolean {
    return this.#stage === "initializing";
  }

  /** What comes while `initialize` is being answered waits for that answer. */
  #inOrder(step: () => void): void {
    if (this.#initializing) this.#held.push(step);
    else step();
  }

  #request(request: IncomingRequest): void {
    const call = new ClientCall(request, this);
    try {
      if (this.#calls.size >= OPEN_LIMIT)
        throw invalidRequest(`${OPEN_LIMIT} requests are open already; wait for an answer to one of them.`);
      this.#calls.set(request.id, call);
      this.#route(call, request.params);
    } catch (error) {
      call.fail(error);
      if (!(error instanceof RpcError)) this.#handlers.noticed(`${request.method} met a defect`, error);
    }
  }

  #route(call: ClientCall, params: unknown): void {
    if (call.method === AgentMethod.initialize) this.#initialize(call, params);
    else if (this.#stage !== "ready") throw invalidRequest("The first request must be initialize.");
    else if (call.method === CANCEL)
      throw invalidRequest(`${CANCEL} is a notification: send it without an id.`);
    else {
      call.params = fieldsOf(params);
      if (!this.#handlers.request(call)) throw methodNotFound(call.method);
    }
  }

  #initialize(call: ClientCall, params: unknown): void {
    const fields = fieldsOf(params);
    protocolVersion(fields);
    if (this.#answer) {
      call.reply(this.#answer);
      return;
    }
    this.#stage = "initializing";
    this.#deadline();
    // What is held until the answer is what stood in this read; the rest waits in the socket.
    this.peer.transport.pause();
    this.capabilities = clientCapabilities(fields);
    this.#handlers.initialize(fields).then(
      (answer) => {
        this.#answer = answer;
        this.peer.lineLimit = this.#limits.line;
        this.#proceed("ready", () => call.reply(answer));
      },
      (error: unknown) => {
        this.#awaitInitialize();
        this.#proceed("waiting", () => call.fail(error));
      },
    );
  }

  #proceed(stage: Stage, answer: () => void): void {
    this.#stage = stage;
    this.#perform(answer);
    // One of them may be another initialize: what stands behind it waits again.
    while (!this.#initializing) {
      const step = this.#held.shift();
      if (!step) break;
      this.#perform(step);
    }
    this.#readOn();
    this.#tellIfAllAnswered();
  }

  #perform(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#handlers.noticed("a line that had waited for initialize met a defect", error);
    }
  }

  #notification(method: string, params: unknown): void {
    if (this.#stage !== "ready" || !(params === undefined || isFields(params))) return;
    const fields = params ?? {};
    if (method !== CANCEL_REQUEST) {
      this.#handlers.notification(method, fields);
      return;
    }
    const { requestId } = fields;
    const call = isId(requestId) ? this.#calls.get(requestId) : undefined;
    if (call) this.#handlers.cancelled(call);
  }

  /** What is still held may be a request. */
  #tellIfAllAnswered(): void {
    if (this.#calls.size === 0 && this.#held.length === 0) this.#handlers.allAnswered();
  }

  /** @internal */
  unwritable(call: ClientCall, error: unknown): void {
    this.#handlers.noticed(`the answer to ${call.method} could not be written`, error);
  }

  /** @internal */
  settled(call: ClientCall): void {
    if (this.#calls.get(call.id) === call) this.#calls.delete(call.id);
    this.#handlers.answered(call);
    this.#tellIfAllAnswered();
  }
}

class ClientCall implements Call {
  params: Fields = {};
  readonly #request: IncomingRequest;
  readonly #side: AgentSide;
  #left = false;

  constructor(request: IncomingRequest, side: AgentSide) {
    this.#request = request;
    this.#side = side;
  }

  get id(): Id {
    return this.#request.id;
  }

  get method(): string {
    return this.#request.method;
  }

  get answered(): boolean {
    return this.#left || this.#request.answered;
  }

  reply(result: unknown): void {
    this.#answer(() => this.#request.reply(result));
  }

  fail(error: unknown): void {
    const login = this.#side.capabilities.login && error instanceof HallFailure;
    this.#answer(() => this.#request.fail(login ? error.bodyForLoginClient : errorBody(error)));
  }

  relay(answer: Buffer): void {
    this.#answer(() => this.#request.relay(answer));
  }

  leave(): void {
    if (this.answered) return;
    this.#left = true;
    this.#side.settled(this);
  }

  /** Once, whatever is in it: an answer that cannot be written (nested too deep) is an internal error. */
  #answer(answer: () => void): void {
    if (this.answered) return;
    try {
      answer();
    } catch (error) {
      this.#request.fail(errorBody(error));
      this.#side.unwritable(this, error);
    }
    this.#side.settled(this);
  }
}

/** What a client said it can do. What is not said, or said wrongly, it cannot (ACP: MUST). */
export function clientCapabilities(params: Fields): ClientCapabilities {
  const said = isFields(params.clientCapabilities) ? params.clientCapabilities : {};
  const fs = isFields(said.fs) ? said.fs : {};
  const elicitation = isFields(said.elicitation) ? said.elicitation : {};
  const terminalAuth = [said._meta, params._meta].some(
    (meta) => isFields(meta) && meta["terminal-auth"] === true,
  );
  return {
    readTextFile: fs.readTextFile === true,
    writeTextFile: fs.writeTextFile === true,
    terminal: said.terminal === true,
    elicitationForm: isFields(elicitation.form),
    elicitationUrl: isFields(elicitation.url),
    login: isFields(said.auth) || terminalAuth,
  };
}

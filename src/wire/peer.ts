import { LineSplitter } from "./lines.ts";
import { type ErrorBody, encode, type Fault, type Id, type Message, readMessage } from "./message.ts";
import type { Shortcut } from "./shortcut.ts";
import { spanOf, splice } from "./splice.ts";
import type { Transport } from "./transport.ts";

/**
 * What became of a request of ours. `lost`: the other side went away without answering. An error without `bytes`
 * is not the other side's own: it was lost, or what came was no proper answer.
 */
export type Reply =
  | { ok: true; result: unknown; bytes: Buffer }
  | { ok: false; error: ErrorBody; lost: boolean; bytes?: Buffer };

export type Settle = (reply: Reply) => void;

export interface PeerReceiver {
  request(request: IncomingRequest): void;
  /** `bytes`: the line as it came. */
  notification(method: string, params: unknown, bytes: Buffer): void;
  /** A line that is no message. Nothing was answered: what a fault deserves depends on who sent it. */
  fault(fault: Fault, bytes: Buffer): void;
  /** An answer to nothing that we asked. */
  stray(id: Id): void;
  /** All lines of one read were dispatched: what belongs together can be written together. */
  readEnd(): void;
  tooLong(limit: number): void;
  /** The other side will send nothing more. Our requests to it were settled as lost. */
  ended(): void;
  /** The other side takes nothing any more, though it may still say something. */
  unheard?(): void;
  /** Nothing travels any more. Called once, last. */
  closed(error?: Error): void;
  /** A receiver threw: a defect of ours. What it was told is dropped, the connection stays. */
  broke(error: unknown): void;
}

/** An answer that comes so many taken back requests later is taken for one to nothing. */
const FORGOTTEN_LIMIT = 1_000;

/**
 * One endpoint of JSON-RPC on lines. Everything is dispatched in the order in which it arrived, in the same
 * pass in which it was read: an answer is settled before the next line is looked at, so nothing overtakes.
 */
export class Peer {
  readonly transport: Transport;
  /** Lines that it takes come to nobody else. */
  shortcut: Shortcut | undefined;
  readonly #receiver: PeerReceiver;
  readonly #lines: LineSplitter;
  /** Our requests that wait for an answer. */
  readonly #asked = new Map<Id, Settle>();
  /** Requests that we took back: the answer to one, which may or may not come, is passed over in silence. */
  readonly #forgotten = new Set<Id>();
  /** Their requests that we have not answered. */
  readonly #open = new Map<Id, IncomingRequest>();
  #nextId = 0;
  #inputOver = false;
  #closed = false;

  constructor(transport: Transport, lineLimit: number, receiver: PeerReceiver) {
    this.transport = transport;
    this.#receiver = receiver;
    this.#lines = new LineSplitter(lineLimit, {
      line: (bytes) => this.#line(bytes),
      tooLong: (limit) => receiver.tooLong(limit),
    });
  }

  start(): void {
    this.transport.start({
      chunk: (bytes) => {
        this.#lines.push(bytes);
        this.#guarded(() => this.#receiver.readEnd());
      },
      ended: () => {
        this.#lines.end();
        this.#guarded(() => this.#receiver.readEnd());
        this.#inputOver = true;
        this.#loseAll();
        this.#guarded(() => this.#receiver.ended());
      },
      unheard: () => this.#guarded(() => this.#receiver.unheard?.()),
      closed: (error) => {
        this.#closed = true;
        this.#inputOver = true;
        this.#loseAll();
        this.#open.clear();
        this.#guarded(() => this.#receiver.closed(error));
      },
    });
  }

  set lineLimit(bytes: number) {
    this.#lines.limit = bytes;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Some request of ours waits for its answer. */
  get waits(): boolean {
    return this.#asked.size > 0;
  }

  /** Requests of the other side that wait for our answer. */
  get open(): Iterable<IncomingRequest> {
    return this.#open.values();
  }

  openRequest(id: Id): IncomingRequest | undefined {
    return this.#open.get(id);
  }

  /** Asks; `settle` is called once, in order with everything else that arrives. Answers the id. */
  request(method: string, params: unknown, settle: Settle): Id {
    const id = this.#expect(settle);
    if (id !== undefined) this.#write(encode({ jsonrpc: "2.0", id, method, params }));
    return id ?? null;
  }

  /** Asks with another peer's line, our id put in, every other byte as it came. */
  relay(line: Buffer, settle: Settle): Id {
    const id = this.#expect(settle);
    if (id !== undefined) {
      this.#write(asLine(splice(line, [{ path: ["id"], json: JSON.stringify(id) }])));
    }
    return id ?? null;
  }

  /** Wants no answer to a request any more: what would have been done with one is let go. */
  forget(id: Id): void {
    if (!this.#asked.delete(id)) return;
    this.#forgotten.add(id);
    const [oldest] = this.#forgotten;
    if (this.#forgotten.size > FORGOTTEN_LIMIT && oldest !== undefined) this.#forgotten.delete(oldest);
  }

  /** As `request`, for callers to whom order does not matter: rejects with a `RequestFailed`. */
  ask(method: string, params: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.request(method, params, (reply) => {
        if (reply.ok) resolve(reply.result);
        else reject(new RequestFailed(method, reply.error, reply.lost));
      });
    });
  }

  notify(method: string, params: unknown): void {
    this.#write(encode({ jsonrpc: "2.0", method, params }));
  }

  /** Sends whole lines as they are. */
  send(lines: Buffer): void {
    this.#write(lines);
  }

  /** Sends an error that answers no request: `id` null, or the one that could be read. */
  complain(id: Id, error: ErrorBody): void {
    this.#write(encode({ jsonrpc: "2.0", id, error }));
  }

  /** Reads nothing more, sends what is pending, closes. */
  close(): void {
    this.#lines.stop();
    this.transport.end();
  }

  destroy(): void {
    this.#lines.stop();
    this.transport.destroy();
  }

  /** @internal An incoming request was answered with `line`. */
  answered(request: IncomingRequest, line: Buffer): void {
    if (this.#open.get(request.id) === request) this.#open.delete(request.id);
    this.#write(line);
  }

  #expect(settle: Settle): Id | undefined {
    if (this.#inputOver) {
      queueMicrotask(() => this.#guarded(() => settle(LOST)));
      return undefined;
    }
    const id = this.#nextId++;
    this.#asked.set(id, settle);
    return id;
  }

  #write(line: Buffer): void {
    if (!this.#closed) this.transport.write(line);
  }

  #line(bytes: Buffer): void {
    const text = bytes.toString();
    let message: Message | undefined;
    try {
      if (this.shortcut?.take(bytes, text)) return;
      message = readMessage(bytes, text);
      this.#dispatch(message, bytes);
    } catch (error) {
      this.#receiver.broke(error);
      if (message?.kind === "request") this.#open.get(message.id)?.fail(INTERNAL);
    }
  }

  #dispatch(message: Message, bytes: Buffer): void {
    switch (message.kind) {
      case "notification":
        this.#receiver.notification(message.method, message.params, bytes);
        break;
      case "request":
        if (this.#open.has(message.id)) {
          this.complain(message.id, { code: -32600, message: "A request with this id is still open." });
          break;
        }
        this.#accept(new IncomingRequest(this, message.id, message.method, message.params, bytes));
        break;
      case "response": {
        const { id, error, result } = message;
        const reply: Reply = error ? { ok: false, error, lost: false, bytes } : { ok: true, result, bytes };
        if (!this.#settle(id, reply)) this.#receiver.stray(id);
        break;
      }
      case "fault":
        this.#receiver.fault(message, bytes);
        // No other answer will come: whoever waits for one is told now.
        if (message.answers !== undefined) this.#settle(message.answers, malformed(message));
        break;
    }
  }

  #settle(id: Id, reply: Reply): boolean {
    const settle = this.#asked.get(id);
    if (!settle) return this.#forgotten.delete(id);
    this.#asked.delete(id);
    settle(reply);
    return true;
  }

  /** One defect must not end what others live by. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#receiver.broke(error);
    }
  }

  #accept(request: IncomingRequest): void {
    this.#open.set(request.id, request);
    this.#receiver.request(request);
  }

  #loseAll(): void {
    const asked = [...this.#asked.values()];
    this.#asked.clear();
    for (const settle of asked) this.#guarded(() => settle(LOST));
  }
}

/** A request of the other side. It is answered exactly once: what comes after the first answer is dropped. */
export class IncomingRequest {
  readonly id: Id;
  readonly method: string;
  readonly params: unknown;
  /** The line as it came. */
  readonly bytes: Buffer;
  readonly #peer: Peer;
  #answered = false;

  constructor(peer: Peer, id: Id, method: string, params: unknown, bytes: Buffer) {
    this.#peer = peer;
    this.id = id;
    this.method = method;
    this.params = params;
    this.bytes = bytes;
  }

  get answered(): boolean {
    return this.#answered;
  }

  reply(result: unknown): void {
    this.#answer(() => encode({ jsonrpc: "2.0", id: this.id, result: result === undefined ? {} : result }));
  }

  fail(error: ErrorBody): void {
    this.#answer(() => encode({ jsonrpc: "2.0", id: this.id, error }));
  }

  /** Answers with a line that another peer answered, under this request's id, every other byte as it came. */
  relay(answer: Buffer): void {
    this.#answer(() => {
      const edit = { path: ["id"], json: JSON.stringify(this.id) };
      return asLine(spanOf(answer, edit.path) ? splice(answer, [edit]) : answer);
    });
  }

  /** Throws what kept the line from being made (nested deeper than we can write); then it is still to be answered. */
  #answer(line: () => Buffer): void {
    if (this.#answered) return;
    const bytes = line();
    this.#answered = true;
    this.#peer.answered(this, bytes);
  }
}

/** A request of ours was answered with an error, or (`lost`) not at all. */
export class RequestFailed extends Error {
  readonly method: string;
  readonly error: ErrorBody;
  readonly lost: boolean;

  constructor(method: string, error: ErrorBody, lost: boolean) {
    super(error.message);
    this.name = "RequestFailed";
    this.method = method;
    this.error = error;
    this.lost = lost;
  }
}

const INTERNAL: ErrorBody = {
  code: -32603,
  message: "This request met a defect of the hall; its log says more.",
};

const malformed = ({ message }: Fault): Reply => ({
  ok: false,
  lost: false,
  error: { code: -32603, message: `The other side answered with what is no answer. ${message}` },
});

const LOST: Reply = {
  ok: false,
  lost: true,
  error: { code: -32603, message: "The other side went away before it answered." },
};

/** A line that was cut out of a stream has lost its newline, and may hold a carriage return. */
const NEWLINE = Buffer.from("\n");
const asLine = (line: Buffer): Buffer => Buffer.concat([line, NEWLINE]);

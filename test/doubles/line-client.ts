import { connect, type NetConnectOpts } from "node:net";
import { RpcError } from "../../src/acp/errors.ts";
import { StreamTransport } from "../../src/wire/streams.ts";
import type { Transport } from "../../src/wire/transport.ts";
import { LineCutter } from "./line-cutter.ts";
import type { ErrorBody, Message } from "./message.ts";
import { type Received, Recording, type Wanted } from "./recording.ts";
import { SchemaCheck } from "./schema-check.ts";

/** A request of the hall's to this client. */
export interface Call {
  id: unknown;
  method: string;
  params: unknown;
}

/** How a call is answered: with a result, an error, or not at all (the test does it itself, or never). */
export type Answer = object | { error: ErrorBody } | "silence";

/** A client that takes no part in anything, and that nobody has asked a permission question before. */
const answerNothing = ({ method }: Call): Answer =>
  method === "session/request_permission"
    ? "silence"
    : { error: { code: -32601, message: `"${method}" is not known here.` } };

interface Asked {
  method: string;
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

/**
 * The bare end of an ACP connection: it sends lines, good or bad, and records every line that comes, byte for
 * byte. Each of these is held against ACP's schema on the way; `close` throws if one was wrong.
 */
export class LineClient {
  readonly check = new SchemaCheck("hall->client");
  /** Resolves when nothing travels any more, in either direction. */
  readonly closed: Promise<void>;
  readonly #recording = new Recording();
  readonly #transport: Transport;
  readonly #incoming = new LineCutter((bytes) => this.#received(bytes));
  readonly #outgoing = new LineCutter((bytes) => this.#noteSent(bytes));
  readonly #asked = new Map<number, Asked>();
  #nextId = 1;
  #dropped = false;
  #answer: (call: Call) => Answer | Promise<Answer> = answerNothing;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.closed = new Promise((resolve) => {
      transport.start({
        chunk: (bytes) => this.#incoming.push(bytes),
        ended: () => {
          this.#ended("the hall ended the connection");
          transport.end();
        },
        closed: () => {
          this.#ended("the connection closed");
          resolve();
        },
      });
    });
  }

  /** Everything that came, in order. */
  get received(): readonly Received[] {
    return this.#recording.lines;
  }

  get messages(): Message[] {
    return this.#recording.lines.map(({ message }) => message);
  }

  /** Rejects with an `RpcError` when the hall answers with an error, else when the connection ends before. */
  request(method: string, params?: object): Promise<unknown> {
    const id = this.#nextId++;
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#asked.set(id, { method, resolve, reject });
    });
    // A test may well end before it looks at an answer; one that does look still gets the rejection.
    answer.catch(() => {});
    this.send({ jsonrpc: "2.0", id, method, params });
    return answer;
  }

  /** The id that the next `request` will have. */
  get nextId(): number {
    return this.#nextId;
  }

  notify(method: string, params?: object): void {
    this.send({ jsonrpc: "2.0", method, params });
  }

  send(message: object): void {
    this.raw(`${JSON.stringify(message)}\n`);
  }

  /** Sends exactly these bytes, which need be no line and no message. */
  raw(bytes: string | Buffer): void {
    const buffer = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
    this.#outgoing.push(buffer);
    this.#transport.write(buffer);
  }

  /** Answers the hall's requests from now on. */
  answerWith(answer: (call: Call) => Answer | Promise<Answer>): void {
    this.#answer = answer;
  }

  /** The first line that is wanted: one that came already, or one that comes. `since`: a count of lines. */
  sees(wanted: Wanted, since = 0): Promise<Received> {
    return this.#recording.sees(wanted, since);
  }

  /** The hall's answer to a request that was sent `raw`. */
  async answerTo(id: unknown, since = 0): Promise<Message> {
    const answers = (message: Message): boolean =>
      message.method === undefined && message.id !== undefined && Object.is(message.id, id);
    return (await this.sees(answers, since)).message;
  }

  /**
   * Asks for something that no hall has, and gives back what came before its answer: nothing else was on its
   * way, since the hall answers in order.
   */
  async saidMeanwhile(): Promise<Message[]> {
    const since = this.received.length;
    const id = this.#nextId;
    await this.request("test/barrier").catch(() => {});
    return this.messages.slice(since).filter((message) => message.id !== id || message.method !== undefined);
  }

  /** Messages that are passed on as an agent sent them, valid or not. */
  exempt(passes: (message: Message) => boolean): void {
    this.check.exempt(passes);
  }

  stopReading(): void {
    this.#transport.pause();
  }

  readAgain(): void {
    this.#transport.resume();
  }

  /** Sends nothing more; what the hall still says is read. */
  end(): void {
    this.#outgoing.push(Buffer.from("\n")); // What was begun is a line now, also without its end.
    this.#transport.end();
  }

  /** Drops the connection, as a process that is killed does. */
  destroy(): void {
    this.#dropped = true;
    this.#transport.destroy();
  }

  /** Drops the connection; throws when one of the hall's lines broke the protocol. */
  async close(): Promise<void> {
    this.destroy();
    await this.closed;
    this.check.expectNoViolations();
  }

  #received(bytes: Buffer): void {
    const message = this.#parse(bytes);
    if (!message) return;
    this.check.checkLine(message, bytes.toString());
    this.#recording.add({ message, bytes });
    if (typeof message.method === "string") {
      if (message.id !== undefined) void this.#called(message.method, message);
      return;
    }
    if (typeof message.id !== "number") return;
    const asked = this.#asked.get(message.id);
    this.#asked.delete(message.id);
    if (message.error) asked?.reject(asRpcError(message.error));
    else asked?.resolve(message.result);
  }

  #parse(bytes: Buffer): Message | undefined {
    try {
      const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
      const value: unknown = JSON.parse(text);
      if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
      this.check.violation(text, "is no JSON object");
    } catch {
      this.check.violation(bytes.toString(), "is no JSON in UTF-8");
    }
    return undefined;
  }

  async #called(method: string, { id, params }: Message): Promise<void> {
    const answer = await this.#answer({ id, method, params });
    if (answer === "silence") return;
    this.send("error" in answer ? { jsonrpc: "2.0", id, ...answer } : { jsonrpc: "2.0", id, result: answer });
  }

  #noteSent(line: Buffer): void {
    try {
      // `trim` takes a byte order mark too, which a hall tolerates and JSON.parse does not.
      this.check.sent(JSON.parse(line.toString().trim()));
    } catch {
      // No JSON opens no request.
    }
  }

  #ended(why: string): void {
    if (this.#incoming.held > 0 && !this.#dropped) this.check.violation("", "is a line without its end");
    this.#incoming.forget();
    this.#recording.end(why);
    for (const { method, reject } of this.#asked.values()) {
      reject(new Error(`"${method}" was not answered: ${why}.`));
    }
    this.#asked.clear();
  }
}

const asRpcError = ({ code, message, data }: ErrorBody): RpcError => new RpcError(code, message, data);

/** Connects by TCP or to a UNIX socket. Half-open: what the hall says after our end is still read. */
export function dial(to: NetConnectOpts): Promise<Transport> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...to, allowHalfOpen: true });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      socket.setNoDelay(true);
      resolve(new StreamTransport(socket, socket));
    });
  });
}

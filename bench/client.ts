import type { Readable, Writable } from "node:stream";
import { LineSplitter } from "../src/wire/lines.ts";
import type { Order } from "./order.ts";

/** What a prompt's answer says. */
export interface Answer {
  /** Milliseconds from the prompt to its answer, and to the last update if that came later. */
  ms: number;
  /** Milliseconds that the agent took to write it all. */
  agentMs: number;
}

interface Result {
  sessionId?: string;
  _meta?: { "bench/ms"?: number };
}

interface Response {
  id?: number;
  result?: Result;
  error?: { message: string };
}

const CLOSED: Response = { error: { message: "the connection closed" } };

type Settle = (response: Response) => void;

/** `{"jsonrpc":"2.0","method"` or `{"jsonrpc":"2.0","id"`: all peers of the bench begin their lines so. */
const KEY_AT = 18;
const ID = "i".charCodeAt(0);

const LONGEST_LINE = 64 * 1024 * 1024;

/** A client that costs as little as one can: it counts updates, and reads nothing but answers. */
export class BenchClient {
  /** Lines that were no answer, since it began. */
  updates = 0;
  /** Called with each of them. */
  onUpdate: ((line: Buffer) => void) | undefined;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #open = new Map<number, Settle>();
  #nextId = 0;
  #closed = false;
  #waiting: { updates: number; ring: () => void } | undefined;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
    const lines = new LineSplitter(LONGEST_LINE, {
      line: (line) => this.#line(line),
      tooLong: (limit) => input.destroy(new Error(`a line of over ${limit} bytes came`)),
    });
    input.on("data", (bytes: Buffer) => {
      lines.push(bytes);
      if (this.#waiting && this.updates >= this.#waiting.updates) this.#ring();
    });
    input.on("close", () => {
      this.#closed = true;
      for (const settle of this.#open.values()) settle(CLOSED);
    });
  }

  async initialize(): Promise<void> {
    await this.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  }

  async newSession(): Promise<string> {
    const { sessionId } = await this.request("session/new", { cwd: process.cwd(), mcpServers: [] });
    if (sessionId === undefined) throw new Error("session/new gave no session id");
    return sessionId;
  }

  async load(sessionId: string): Promise<void> {
    await this.request("session/load", { sessionId, cwd: process.cwd(), mcpServers: [] });
  }

  /** One turn. Resolves when it was answered and all of its updates are here: some peers answer first. */
  async prompt(sessionId: string, order: Order): Promise<Answer> {
    const begun = performance.now();
    const all = this.updates + order.updates;
    const prompt = [{ type: "text", text: JSON.stringify(order) }];
    const { _meta } = await this.request("session/prompt", { sessionId, prompt });
    await this.untilUpdates(all);
    const ms = performance.now() - begun;
    if (this.updates !== all) throw new Error(`${this.updates - all} updates too many came`);
    return { ms, agentMs: _meta?.["bench/ms"] ?? Number.NaN };
  }

  /** Resolves when `updates` of them have come since it began. */
  untilUpdates(updates: number): Promise<void> {
    if (this.updates >= updates) return Promise.resolve();
    return new Promise((ring) => {
      this.#waiting = { updates, ring };
    });
  }

  request(method: string, params: object): Promise<Result> {
    const id = this.#nextId++;
    this.#output.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return new Promise((resolve, reject) => {
      const settle: Settle = ({ result, error }) => {
        if (result) resolve(result);
        else reject(new Error(`${method}: ${error?.message ?? "no result"}`));
      };
      if (this.#closed) settle(CLOSED);
      else this.#open.set(id, settle);
    });
  }

  /** Sends a line of no meaning, for those who wait for one. */
  poke(): void {
    this.#output.write("\n");
  }

  stopReading(): void {
    this.#input.pause();
  }

  readOn(): void {
    this.#input.resume();
  }

  close(): void {
    this.#input.destroy();
    this.#output.destroy();
  }

  #line(line: Buffer): void {
    if (line[KEY_AT] !== ID) {
      this.updates += 1;
      this.onUpdate?.(line);
      return;
    }
    const response = JSON.parse(line.toString()) as Response;
    const settle = response.id === undefined ? undefined : this.#open.get(response.id);
    if (response.id !== undefined) this.#open.delete(response.id);
    settle?.(response);
  }

  #ring(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.ring();
  }
}

import { type AgentHandlers, AgentSide, type AgentSideLimits, type Call } from "../../src/acp/agent-side.ts";
import type { Fields } from "../../src/acp/checks.ts";
import { HandClock } from "../../src/ground/clock.ts";
import { memoryPair } from "../../src/wire/memory.ts";
import type { Transport } from "../../src/wire/transport.ts";

type Answers = Pick<AgentHandlers, "initialize" | "request">;

/** ACP served to the bare other end of a connection in memory, and all that its handlers heard. */
export class Served {
  readonly clock = new HandClock();
  readonly side: AgentSide;
  readonly far: Transport;
  /** What the handlers were told, in order. */
  readonly heard: string[] = [];
  readonly calls: Call[] = [];
  readonly noticed: string[] = [];
  /** What the other end got, as text. */
  wrote = "";

  constructor(answers: Partial<Answers> = {}, limits: Partial<AgentSideLimits> = {}) {
    const [near, far] = memoryPair();
    this.far = far;
    far.start({
      chunk: (bytes) => {
        this.wrote += bytes.toString();
      },
      ended: () => {
        this.wrote += "(end)\n";
      },
      closed: () => {},
    });
    const handlers: AgentHandlers = {
      initialize: () => Promise.resolve({ protocolVersion: 1 }),
      request: () => true,
      ...answers,
      notification: (method, params) => this.heard.push(`notification ${method} ${JSON.stringify(params)}`),
      cancelled: (call) => this.heard.push(`cancelled ${JSON.stringify(call.id)}`),
      answered: (call) => this.heard.push(`answered ${JSON.stringify(call.id)}`),
      allAnswered: () => this.heard.push("all answered"),
      ended: () => this.heard.push("ended"),
      closed: () => this.heard.push("closed"),
      noticed: (what) => this.noticed.push(what),
    };
    const request = handlers.request;
    handlers.request = (call) => {
      this.calls.push(call);
      this.heard.push(`request ${JSON.stringify(call.id)} ${call.method}`);
      return request(call);
    };
    const all = { lineBefore: 1_000, line: 100_000, initializeWithin: 10_000, ...limits };
    this.side = new AgentSide(near, all, handlers, this.clock);
    this.side.start();
  }

  /** Sends messages, or text as it is, in one piece; resolves when all is answered that is answered at once. */
  async gets(...messages: (string | object)[]): Promise<void> {
    const lines = messages.map((message) =>
      typeof message === "string" ? message : `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`,
    );
    this.far.write(Buffer.from(lines.join("")));
    await this.settled();
  }

  async initialized(params: Fields = {}): Promise<this> {
    await this.gets(initialize("init", params));
    this.wrote = "";
    this.heard.length = 0;
    return this;
  }

  /** The messages that the other end got. */
  get answers(): {
    id?: unknown;
    result?: unknown;
    error?: { code: number; message: string; data?: unknown };
  }[] {
    return this.wrote
      .split("\n")
      .filter((line) => line !== "" && line !== "(end)")
      .map((line) => JSON.parse(line));
  }

  async settled(): Promise<void> {
    for (let turns = 0; turns < 40; turns += 1) await Promise.resolve();
  }
}

export const initialize = (id: unknown, params: Fields = {}) => ({
  id,
  method: "initialize",
  params: { protocolVersion: 1, ...params },
});

/** A promise, and its settling in the test's hands. */
export function promised<T>(): {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
} {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

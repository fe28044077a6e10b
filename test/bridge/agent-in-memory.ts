import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { type Fields, resultOf } from "../../src/acp/checks.ts";
import { Ledger } from "../../src/agents/ledger.ts";
import { AgentProcess, type Spawned } from "../../src/agents/process.ts";
import type { ProcessTable } from "../../src/agents/process-table.ts";
import type { Clock } from "../../src/ground/clock.ts";
import { type IncomingRequest, Peer } from "../../src/wire/peer.ts";
import { StreamTransport } from "../../src/wire/streams.ts";
import { MemoryDisk } from "../hall/memory-disk.ts";

const NOBODY: ProcessTable = {
  list: () => [],
  find: () => undefined,
  marked: () => [],
  commandLine: () => [],
};

/** What an agent does in a turn: it says a text in so many chunks, asks for permission, waits to be cancelled. */
export interface Part {
  says?: string;
  chunks?: number;
  asks?: boolean;
  reads?: boolean;
  waits?: boolean;
  /** It says what it was started with. */
  tells?: boolean;
}

/** An ACP agent in this process, behind a child that is none: thousands of them live and die in a test. */
export class AgentInMemory {
  readonly process: AgentProcess;
  readonly #args: string;
  readonly #peer: Peer;
  readonly #child: EventEmitter;
  readonly #streams: PassThrough[];
  readonly #cancelled = new Set<string>();
  #wake: () => void = () => {};
  #over = false;
  static #count = 0;

  constructor(clock: Clock, args = "") {
    this.#args = args;
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    this.#streams = [stdin, stdout, stderr];
    this.#child = Object.assign(new EventEmitter(), { stdin, stdout, stderr, pid: 2 ** 30 });
    const ledger = new Ledger(new MemoryDisk(), "/ledger", "0");
    // Of a child process it is what the hall uses of one.
    const child = this.#child as Spawned["child"];
    this.process = new AgentProcess(
      { child, number: ++AgentInMemory.#count, startTime: undefined },
      { clock, ledger, table: NOBODY, send: () => {} },
    );
    this.#peer = new Peer(new StreamTransport(stdin, stdout), 2 ** 25, {
      // No real pipe answers in the very call that writes to it.
      request: (request) => queueMicrotask(() => this.#request(request)),
      notification: (method, params) => queueMicrotask(() => this.#notified(method, params)),
      fault() {},
      stray() {},
      readEnd() {},
      tooLong() {},
      ended: () => this.exit(),
      closed: () => this.exit(),
      broke: (error) => {
        throw error;
      },
    });
    this.#peer.start();
  }

  /** It is over, as by a signal: nothing more comes of it. */
  exit(): void {
    if (this.#over) return;
    this.#over = true;
    for (const stream of this.#streams) stream.end();
    this.#child.emit("exit", 0, null);
  }

  #request(request: IncomingRequest): void {
    switch (request.method) {
      case "initialize":
        request.reply({
          protocolVersion: 1,
          agentCapabilities: { sessionCapabilities: { resume: {} } },
          authMethods: [],
        });
        break;
      case "session/new":
        request.reply({ sessionId: `agents-own-${++AgentInMemory.#count}`, modes: MODES });
        break;
      case "session/prompt":
        void this.#turn(request, resultOf(request.params));
        break;
      default:
        request.reply({});
    }
  }

  #notified(method: string, params: unknown): void {
    if (method !== "session/cancel") return;
    this.#cancelled.add(String(resultOf(params).sessionId));
    this.#wake();
  }

  async #turn(request: IncomingRequest, { sessionId, prompt }: Fields): Promise<void> {
    const id = String(sessionId);
    this.#cancelled.delete(id);
    for (const part of partsOf(prompt)) {
      if (this.#over || this.#cancelled.has(id)) break;
      for (let chunk = 0; chunk < (part.chunks ?? 0); chunk++) {
        this.#update(id, `${part.says} ${chunk} `);
        if (chunk % 3 === 2) await new Promise((resolve) => setImmediate(resolve));
      }
      if (part.tells) this.#update(id, `started with ${this.#args}.`);
      if (part.asks) await this.#ask(id, "session/request_permission", QUESTION);
      if (part.reads) await this.#ask(id, "fs/read_text_file", { path: "/etc/hostname" });
      if (part.waits && !this.#cancelled.has(id))
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
    request.reply({ stopReason: this.#cancelled.has(id) ? "cancelled" : "end_turn" });
  }

  async #ask(sessionId: string, method: string, params: Fields): Promise<void> {
    const answer = await this.#peer.ask(method, { sessionId, ...params }).catch((error: unknown) => error);
    const said = answer instanceof Error ? "failed" : JSON.stringify(answer);
    if (!this.#over) this.#update(sessionId, `answered ${said}`);
  }

  #update(sessionId: string, text: string): void {
    const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
    this.#peer.notify("session/update", { sessionId, update });
  }
}

const MODES = { currentModeId: "plain", availableModes: [{ id: "plain", name: "Plain" }] };

const QUESTION = {
  toolCall: { toolCallId: "call-1", title: "A tool" },
  options: [
    { optionId: "yes", name: "Yes", kind: "allow_once" },
    { optionId: "no", name: "No", kind: "reject_once" },
  ],
};

function partsOf(prompt: unknown): Part[] {
  const [block] = Array.isArray(prompt) ? prompt : [];
  return JSON.parse(String(resultOf(block).text));
}

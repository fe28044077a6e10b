import { type Fields, fieldsOf, isFields } from "../../../src/acp/checks.ts";
import type { Exit } from "../../../src/agents/process.ts";
import type { RunningAgent } from "../../../src/agents/running-agent.ts";
import type { Transport } from "../../../src/wire/transport.ts";
import { LineCutter } from "../../doubles/line-cutter.ts";
import { cutPair } from "./cut-transport.ts";

/** A prompt as an agent got it. */
export interface Asked {
  text: string;
  /** The mode that its session was in. */
  mode: string;
}

/** What agents keep over the lives of halls: a disk of their own, and what was ever asked of them. */
export class AgentWorld {
  readonly asked: Asked[] = [];
  sessions = 0;
}

export const MODES = ["m0", "m1", "m2"] as const;

/**
 * An agent in memory: it resumes any session, always in its first mode, and streams what a prompt says: for
 * `name:3` three chunks and a tool call that is left open.
 */
export class MemoryAgent implements RunningAgent {
  readonly number = 1;
  readonly mark = "none";
  readonly pid = 1;
  readonly transport: Transport;
  exit: Exit | undefined;
  asked = false;
  readonly #world: AgentWorld;
  readonly #theirs: Transport;
  readonly #rings: ((exit: Exit) => void)[] = [];
  #mode: string = MODES[0];
  #ending: Promise<void> | undefined;
  /** A prompt that runs: the id of its request. */
  #running: unknown;

  constructor(world: AgentWorld, isCut: () => boolean) {
    this.#world = world;
    const { ours, theirs } = cutPair(isCut);
    this.transport = ours;
    this.#theirs = theirs;
    const lines = new LineCutter((line) => this.#take(fieldsOf(JSON.parse(line.toString()))));
    theirs.start({ chunk: (bytes) => lines.push(bytes), ended: () => theirs.end(), closed: () => {} });
  }

  get isAlive(): boolean {
    return this.exit === undefined;
  }

  stderrTail(): string[] {
    return [];
  }

  onExit(ring: (exit: Exit) => void): void {
    if (this.exit) ring(this.exit);
    else this.#rings.push(ring);
  }

  interrupt(): void {}

  terminate(): void {}

  kill(): Promise<void> {
    return this.stop();
  }

  stop(): Promise<void> {
    this.asked = true;
    this.#ending ??= Promise.resolve().then(() => {
      const exit = { code: 0, signal: null };
      this.exit = exit;
      this.#theirs.destroy();
      for (const ring of this.#rings) ring(exit);
    });
    return this.#ending;
  }

  toolsSnapshot(): undefined {
    return undefined;
  }

  async endToolsSince(): Promise<void> {}

  #take({ id, method, params }: Fields): void {
    const fields = isFields(params) ? params : {};
    switch (method) {
      case "initialize":
        this.#reply(id, { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { resume: {} } } });
        break;
      case "session/new":
        this.#world.sessions += 1;
        this.#reply(id, { sessionId: `a${this.#world.sessions}`, modes: this.#modes });
        break;
      case "session/resume":
        this.#reply(id, { modes: this.#modes });
        break;
      case "session/set_mode":
        this.#mode = String(fields.modeId);
        this.#reply(id, {});
        break;
      case "session/prompt":
        this.#running = id;
        void this.#prompt(id, fields);
        break;
      case "session/cancel":
        this.#end("cancelled");
        break;
    }
  }

  get #modes(): Fields {
    return { currentModeId: this.#mode, availableModes: MODES.map((id) => ({ id, name: id })) };
  }

  async #prompt(id: unknown, { sessionId, prompt }: Fields): Promise<void> {
    const [block] = Array.isArray(prompt) ? prompt.filter(isFields) : [];
    const text = String(block?.text);
    this.#world.asked.push({ text, mode: this.#mode });
    const [name, chunks] = text.split(":");
    for (let chunk = 0; chunk < Number(chunks); chunk += 1) {
      // Now and then two in one read.
      if (chunk % 3 !== 1) await new Promise((resolve) => setImmediate(resolve));
      if (this.#running !== id) return;
      const content = { type: "text", text: `${name}/${chunk} ` };
      this.#update(sessionId, { sessionUpdate: "agent_message_chunk", content });
      if (chunk === 1)
        this.#update(sessionId, {
          sessionUpdate: "tool_call",
          toolCallId: text,
          title: "t",
          status: "pending",
        });
    }
    if (this.#running === id) this.#end("end_turn");
  }

  #end(stopReason: string): void {
    const id = this.#running;
    this.#running = undefined;
    if (id !== undefined) this.#reply(id, { stopReason });
  }

  #update(sessionId: unknown, update: Fields): void {
    this.#send({ jsonrpc: "2.0", method: "session/update", params: { sessionId, update } });
  }

  #reply(id: unknown, result: Fields): void {
    this.#send({ jsonrpc: "2.0", id, result });
  }

  #send(message: Fields): void {
    this.#theirs.write(Buffer.from(`${JSON.stringify(message)}\n`));
  }
}

import { once } from "node:events";
import { readdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { LineCutter } from "./line-cutter.ts";
import type { TestHall } from "./start-hall.ts";

export interface HookAnswer {
  result?: { decision: string; scope: string; message: string };
  error?: { code: number; message: string };
}

/** The per-run sockets of the agent processes that live. */
export const hookSockets = (hall: TestHall): string[] =>
  readdirSync(join(hall.state, "run"))
    .filter((name) => name.endsWith(".sock"))
    .toSorted()
    .map((name) => join(hall.state, "run", name));

/** A hook of an agent's: whoever connects to its per-run socket. */
export class HookClient {
  readonly #socket: Socket;
  readonly #waiting = new Map<unknown, (answer: HookAnswer) => void>();
  readonly #lines = new LineCutter((bytes) => this.#received(bytes));
  #nextId = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (bytes) => this.#lines.push(bytes));
  }

  static async connect(path: string): Promise<HookClient> {
    const socket = connect(path);
    await once(socket, "connect");
    onTestFinished(() => void socket.destroy());
    return new HookClient(socket);
  }

  /** Resolves with the answer, whatever it is; never when the connection ends before. */
  ask(params: object, method = "permission/ask"): Promise<HookAnswer> {
    const id = this.#nextId++;
    const answer = new Promise<HookAnswer>((resolve) => this.#waiting.set(id, resolve));
    this.#socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return answer;
  }

  raw(text: string): Promise<HookAnswer> {
    const answer = new Promise<HookAnswer>((resolve) => this.#waiting.set(null, resolve));
    this.#socket.write(text);
    return answer;
  }

  /** Sends nothing more. */
  end(): void {
    this.#socket.end();
  }

  get closed(): Promise<unknown> {
    return this.#socket.closed ? Promise.resolve() : once(this.#socket, "close");
  }

  #received(bytes: Buffer): void {
    const { id, ...answer } = JSON.parse(bytes.toString());
    this.#waiting.get(id)?.(answer);
    this.#waiting.delete(id);
  }
}

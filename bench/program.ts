import { type ChildProcess, spawn } from "node:child_process";
import net from "node:net";
import path from "node:path";
import { BenchClient } from "./client.ts";

/** The repository: this file runs as `.build/bench/program.js`. */
export const ROOT = path.resolve(import.meta.dirname, "..", "..");

/** The bench's agent, as a command. */
export const AGENT = [process.execPath, path.join(import.meta.dirname, "agent.js")];

/** A program of the bench beside this one, in a process of its own, that prints its port. */
export class Program {
  readonly #process: ChildProcess;
  readonly #port: number;
  readonly #clients: BenchClient[] = [];

  private constructor(process: ChildProcess, port: number) {
    this.#process = process;
    this.#port = port;
  }

  /** `name`: of the file in `baselines/`. */
  static async start(name: string, args: readonly string[] = AGENT): Promise<Program> {
    const file = path.join(import.meta.dirname, "baselines", `${name}.js`);
    const child = spawn(process.execPath, [file, ...args], { stdio: ["pipe", "pipe", "inherit"] });
    const port = await new Promise<number>((resolve, reject) => {
      child.stdout.once("data", (bytes: Buffer) => resolve(Number(bytes.toString())));
      child.once("exit", (code) => reject(new Error(`${name} ended with ${code} before it listened`)));
    });
    return new Program(child, port);
  }

  async connect(): Promise<BenchClient> {
    const client = await connectTo("127.0.0.1", this.#port);
    this.#clients.push(client);
    return client;
  }

  stop(): void {
    for (const client of this.#clients) client.close();
    this.#process.stdin?.end();
  }
}

/** A connection, not initialized. */
export async function connectTo(host: string, port: number): Promise<BenchClient> {
  const socket = net.connect({ host, port, noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  return new BenchClient(socket, socket);
}

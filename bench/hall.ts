import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { BenchClient } from "./client.ts";
import type { Memory, Question } from "./probe.ts";
import { AGENT, connectTo, ROOT } from "./program.ts";

export interface HallOptions {
  /** Of the only slot; the bench's agent unless it says otherwise. */
  command?: readonly string[];
  /** Agent processes at once, and turns at once. */
  processes?: number;
  /** Processes that are kept warm. */
  warm?: number;
  /** To be asked for its memory. */
  probed?: boolean;
}

/**
 * A whole hall as `hall serve` runs it, in a process of its own: on TCP, with its journal, its log going to a file,
 * everything else by default. Its folder is gone when it has stopped.
 */
export class BenchHall {
  readonly #process: ChildProcess;
  readonly #folder: string;
  readonly #host: string;
  readonly #port: number;
  readonly #clients: BenchClient[] = [];

  private constructor(process: ChildProcess, folder: string, address: string) {
    this.#process = process;
    this.#folder = folder;
    const colon = address.lastIndexOf(":");
    this.#host = address.slice(0, colon);
    this.#port = Number(address.slice(colon + 1));
  }

  static async start(options: HallOptions = {}): Promise<BenchHall> {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "hall-bench-"));
    try {
      return await BenchHall.startIn(folder, options);
    } catch (error) {
      fs.rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** As `start`; a hall that ran in `folder` before is taken up again. */
  static async startIn(folder: string, options: HallOptions = {}): Promise<BenchHall> {
    const { command = AGENT, processes = 64, warm = 0, probed = false } = options;
    const roster = path.join(folder, "hall.yml");
    // JSON is YAML.
    const slots = { bench: { command, concurrency: processes, warm } };
    const limits = { processes, start_concurrency: 8 };
    fs.writeFileSync(roster, JSON.stringify({ listen: { tcp: "127.0.0.1:0" }, slots, limits }));
    const log = fs.openSync(path.join(folder, "hall.log"), "a");
    const probe = ["--expose-gc", "--import", path.join(import.meta.dirname, "probe.js")];
    const args = [...(probed ? probe : []), path.join(ROOT, "dist", "cli", "main.js")];
    const child = spawn(process.execPath, [...args, "serve", "--config", roster], {
      stdio: ["ignore", "pipe", log, "ipc"],
      // Nobody else is to find this hall.
      env: { ...process.env, XDG_RUNTIME_DIR: folder },
    });
    fs.closeSync(log);
    return new BenchHall(child, folder, await addressOf(child, folder));
  }

  async connect(): Promise<BenchClient> {
    const client = await connectTo(this.#host, this.#port);
    this.#clients.push(client);
    return client;
  }

  /** Needs `probed`. */
  async ask(question: Question): Promise<Memory> {
    this.#process.send(question);
    const [memory] = (await once(this.#process, "message")) as [Memory];
    return memory;
  }

  /** Where a session's updates are kept. */
  journalOf(sessionId: string): string {
    return path.join(this.#folder, ".hall", "sessions", sessionId, "updates.jsonl");
  }

  /** Nothing of it is wanted any more: it is killed, and its agents end when nobody speaks to them. */
  async stop(): Promise<void> {
    await this.#end("SIGKILL");
    fs.rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Stops as it does for people, and leaves its folder to another. */
  halt(): Promise<void> {
    return this.#end("SIGTERM");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    for (const client of this.#clients) client.close();
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exit = once(this.#process, "exit");
    this.#process.kill(signal);
    await exit;
  }
}

/** From the greeting that `hall serve` prints when it is open. */
function addressOf(child: ChildProcess, folder: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    child.stdout?.on("data", (bytes: Buffer) => {
      said += bytes.toString();
      const address = /TCP +(\S+)\n/.exec(said)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once("error", reject);
    child.once("exit", (code) => {
      const log = fs.readFileSync(path.join(folder, "hall.log"), "utf8");
      reject(new Error(`the hall ended with ${code} before it was open:\n${log}`));
    });
  });
}

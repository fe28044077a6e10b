import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";

/** The built `hall`. */
export const HALL_PROGRAM = join(import.meta.dirname, "..", "..", "dist", "cli", "main.js");
const Addresses = z.object({ tcp: z.string(), unix: z.string() });

/** How long the steps of the ladder are apart: long enough for a loaded machine, short enough to wait for. */
const CANCEL_GRACE = "2s";

/** A hall as people run it: the built program, in a process of its own. It can be killed and started again. */
export class HallProcess {
  /** Its roster and its state are in it. */
  readonly #folder: string;
  #child: ChildProcess | undefined;
  #addresses: z.infer<typeof Addresses> | undefined;
  /** Both its streams, over all its lives. */
  #said = "";

  /** @param folder an empty folder; the roster is written into it */
  constructor(folder: string, slots: Readonly<Record<string, object>>) {
    this.#folder = folder;
    mkdirSync(this.#runtime, { recursive: true, mode: 0o700 });
    // JSON is YAML, too.
    const roster = { listen: { tcp: "127.0.0.1:0" }, state: "./state", cancel_grace: CANCEL_GRACE, slots };
    writeFileSync(this.#roster, JSON.stringify(roster, null, 2), { mode: 0o600 });
  }

  get runs(): boolean {
    return this.#addresses !== undefined;
  }

  /** Where it takes ACP by TCP. */
  get tcp(): { host: string; port: number } {
    const [host = "", port] = this.#listening.tcp.split(/:(?=\d+$)/);
    return { host, port: Number(port) };
  }

  /** For commands that connect to it: `tcp://HOST:PORT`. */
  get url(): string {
    return `tcp://${this.#listening.tcp}`;
  }

  /** Starts it; resolves once it listens, rejects with what it said if it ends instead. */
  async start(): Promise<void> {
    const file = join(this.#runtime, "addresses.json");
    rmSync(file, { force: true });
    const child = spawn(
      process.execPath,
      [HALL_PROGRAM, "serve", "--config", this.#roster, "--print-addresses", file, "--json"],
      {
        // It shall tell no other hall's clients where it is, and find no roster of the person's who runs the tests.
        env: { PATH: process.env.PATH, HOME: this.#runtime, XDG_RUNTIME_DIR: this.#runtime },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#said += text;
      });
    }
    const ended = once(child, "close").then(([code, signal]) => {
      throw new Error(`The hall ended (${signal ?? code}) before it listened:\n${this.#said}`);
    });
    this.#addresses = Addresses.parse(JSON.parse(await Promise.race([contentOnceThere(file), ended])));
    // From here on its end is nobody's failure: a test that still needs it sees its connection close.
    ended.catch(() => {});
  }

  /** Ends it at once, as the system does when memory runs out: it cleans up nothing. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async stop(): Promise<void> {
    await this.#end("SIGTERM");
  }

  /** What it said, in all its lives. */
  get said(): string {
    return this.#said;
  }

  /** How it last gave a session an agent session: `new`, `resume`, `load`, `transcript`, …, as its log says. */
  wayOf(sessionId: string): string | undefined {
    const lines = this.#said.split("\n").filter((line) => line.includes("session.bound"));
    const last = lines.findLast((line) => line.includes(sessionId));
    return last && /"way":"(\w+)"/.exec(last)?.[1];
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    this.#addresses = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, "close");
    child.kill(signal);
    await closed;
  }

  get #listening(): z.infer<typeof Addresses> {
    if (!this.#addresses) throw new Error("The hall does not run.");
    return this.#addresses;
  }

  get #roster(): string {
    return join(this.#folder, "hall.yml");
  }

  get #runtime(): string {
    return join(this.#folder, "runtime");
  }
}

/** The content of a file that somebody is about to put in place whole. */
async function contentOnceThere(file: string): Promise<string> {
  const watcher = watch(dirname(file), { persistent: false });
  try {
    while (!existsSync(file)) await once(watcher, "change");
    return readFileSync(file, "utf8");
  } finally {
    watcher.close();
  }
}

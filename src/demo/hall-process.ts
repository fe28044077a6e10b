import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { isFields } from "../acp/checks.ts";
import { StderrTail } from "../agents/stderr-tail.ts";
import { type Clock, pause } from "../ground/clock.ts";
import { builtFile } from "../ground/package-root.ts";
import type { Premises } from "./premises.ts";

/** ms between looks at whether the hall has written its addresses. */
const LOOK_MS = 25;
const OPEN_WITHIN_MS = 20_000;
const STOP_WITHIN_MS = 10_000;

export interface TcpAddress {
  host: string;
  port: number;
}

/** A real hall, in a process of its own, as `hall serve` starts it. */
export class HallProcess {
  /** Rejects when the hall ends without having been asked to. */
  readonly died: Promise<never>;
  readonly #premises: Premises;
  readonly #clock: Clock;
  readonly #child: ChildProcess;
  readonly #tail = new StderrTail();
  readonly #exit: Promise<string>;
  #isStopping = false;
  #opening: Promise<TcpAddress> | undefined;

  /** Starts it. In a group of its own, so that a Ctrl-C is for the demo, which then ends the hall in order. */
  constructor(premises: Premises, clock: Clock, host: NodeJS.ProcessEnv) {
    this.#premises = premises;
    this.#clock = clock;
    const { roster, addresses } = premises;
    const options = ["--config", roster, "--print-addresses", addresses, "--drain", "0s"];
    this.#child = spawn(process.execPath, [builtFile("cli", "main.js"), "serve", ...options], {
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
      env: premises.environment(host),
    });
    this.#child.stderr?.on("data", (bytes: Buffer) => this.#tail.push(bytes));
    this.#exit = once(this.#child, "close").then(
      ([code, signal]) => {
        this.#tail.end();
        return code === null ? `by ${signal}` : `with code ${code}`;
      },
      (error: unknown) => `before it began (${String(error)})`,
    );
    this.died = this.#exit.then((how) => {
      if (this.#isStopping) return new Promise<never>(() => {});
      throw new Error(`The hall ended by itself, ${how}.`);
    });
    // Whoever is interested looks; a hall that dies while nobody does is found dead by `stop`.
    this.died.catch(() => {});
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Its TCP address, once it listens. */
  open(): Promise<TcpAddress> {
    this.#opening ??= this.#waitForAddress();
    return this.#opening;
  }

  /** Ends it in order (SIGTERM), and by force when that takes too long. Says how it ended. Again: the same end. */
  async stop(): Promise<string> {
    this.#isStopping = true;
    this.#child.kill("SIGTERM");
    const takeBack = this.#clock.after(STOP_WITHIN_MS, () => this.kill());
    const how = await this.#exit;
    takeBack();
    return how;
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  /** The end of its log, oldest first. */
  lastLines(lines: number): string[] {
    return this.#tail.last(lines);
  }

  async #waitForAddress(): Promise<TcpAddress> {
    for (let waited = 0; waited < OPEN_WITHIN_MS; waited += LOOK_MS) {
      const address = this.#readAddress();
      if (address) return address;
      await Promise.race([pause(this.#clock, LOOK_MS), this.died]);
    }
    throw new Error(`The hall did not open within ${OPEN_WITHIN_MS / 1000} s.`);
  }

  #readAddress(): TcpAddress | undefined {
    let text: string;
    try {
      text = readFileSync(this.#premises.addresses, "utf8");
    } catch {
      return undefined; // Not yet.
    }
    const written: unknown = JSON.parse(text);
    const [, host, port] = /^(.+):(\d+)$/.exec(isFields(written) ? String(written.tcp) : "") ?? [];
    if (host === undefined) throw new Error(`The hall says that it listens at ${text.trim()}, without TCP.`);
    return { host, port: Number(port) };
  }
}

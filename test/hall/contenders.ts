import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface, type Interface } from "node:readline";

/** What a contender said: see contender.mjs. */
export interface Outcome {
  won?: boolean;
  epoch?: string;
  wasClean?: boolean;
  id?: string;
  name?: string;
  message?: string;
  holder?: number;
}

/** A real process that takes state directories when told to. */
export class Contender {
  readonly #child: ChildProcess;
  readonly #lines: Interface;

  private constructor(child: ChildProcess, lines: Interface) {
    this.#child = child;
    this.#lines = lines;
  }

  /** `state`: the compiled `hall/state.js`. */
  static async start(state: string): Promise<Contender> {
    const ground = path.join(path.dirname(state), "..", "ground");
    const program = path.join(import.meta.dirname, "contender.mjs");
    const child = spawn(process.execPath, [program, state, ground], { stdio: ["pipe", "pipe", "inherit"] });
    const contender = new Contender(child, createInterface({ input: child.stdout }));
    await contender.#next();
    return contender;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  take(folder: string): Promise<Outcome> {
    return this.#tell(`take ${folder}`);
  }

  async release(how: "clean" | "dirty"): Promise<void> {
    await this.#tell(`release ${how}`);
  }

  /** Ends it as a power cut would: no handler runs. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exit;
  }

  #tell(line: string): Promise<Outcome> {
    const answer = this.#next();
    this.#child.stdin?.write(`${line}\n`);
    return answer;
  }

  async #next(): Promise<Outcome> {
    const [line] = (await once(this.#lines, "line")) as [string];
    return JSON.parse(line) as Outcome;
  }
}

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished } from "vitest";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

const PROGRAM = resolve(import.meta.dirname, "..", "..", "dist", "demo", "main.js");

/** The built demo as a process, with a folder of the test's for all that it leaves lying about while it runs. */
export class RunningDemo {
  readonly folder = temporaryFolder();
  readonly child: ChildProcess;
  readonly exited: Promise<number | NodeJS.Signals | null>;
  output = "";
  stderr = "";
  #waiting: (() => void)[] = [];
  #isOver = false;

  /** `launch`: what it is started through, given its command; by default nothing, its output into a pipe. */
  constructor(launch = (command: [string, ...string[]]): [string, ...string[]] => command) {
    const [program, ...args] = launch([process.execPath, PROGRAM]);
    const { NO_COLOR: _, ...env } = process.env;
    this.child = spawn(program, args, {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...env, TERM: "xterm-256color", TMPDIR: this.folder },
    });
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.output += text;
      this.#ring();
    });
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    this.exited = once(this.child, "close").then(([code, signal]) => {
      this.#isOver = true;
      this.#ring();
      return code ?? signal;
    });
    onTestFinished(() => {
      for (const pid of this.processes()) process.kill(pid, "SIGKILL");
    });
  }

  /** Resolves with the match, now or when it is shown. */
  async shows(wanted: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = wanted.exec(this.output);
      if (found) return found;
      if (this.#isOver) throw new Error(`It never showed ${wanted}:\n${this.output}${this.stderr}`);
      await new Promise<void>((ring) => this.#waiting.push(ring));
    }
  }

  type(keys: string): void {
    this.child.stdin?.write(keys);
  }

  /** Living processes of this demo: itself, its hall, the hall's agents. All have the folder's name about them. */
  processes(): number[] {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name) && isAbout(name, this.folder))
      .map(Number);
  }

  expectNothingLeft(): void {
    expect(this.processes()).toEqual([]);
    expect(readdirSync(this.folder)).toEqual([]);
  }

  #ring(): void {
    const rings = this.#waiting;
    this.#waiting = [];
    for (const ring of rings) ring();
  }
}

/** A process that has ended but was not reaped has no environment any more. */
function isAbout(pid: string, folder: string): boolean {
  try {
    return readFileSync(join("/proc", pid, "environ"), "utf8").includes(folder);
  } catch {
    return false;
  }
}

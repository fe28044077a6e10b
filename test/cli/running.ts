import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { StreamTransport } from "../../src/wire/streams.ts";
import { AcpClient } from "../doubles/acp-client.ts";

/** A command that ran to its end. */
export interface Finished {
  /** The signal, when one ended it. */
  code: number | NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Start {
  program: string;
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** A process that runs, and what it said so far. */
export class Running {
  readonly child: ChildProcessWithoutNullStreams;
  /** When it is over, and nobody holds its pipes any more. */
  readonly finished: Promise<Finished>;
  stdout = "";
  stderr = "";

  constructor({ program, args, cwd, env }: Start) {
    this.child = spawn(program, args, { cwd, env, stdio: "pipe" });
    // What is written to a process that has ended is nobody's concern here.
    this.child.stdin.on("error", () => {});
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    this.finished = once(this.child, "close").then(([code, signal]) => ({
      code: code ?? signal,
      stdout: this.stdout,
      stderr: this.stderr,
    }));
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error("It could not be started.");
    return this.child.pid;
  }

  /** Reads its stdout as text. */
  read(): this {
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
    });
    return this;
  }

  /** Resolves when this stands on stdout or stderr. Rejects when the process ends without it. */
  says(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (this.stdout.includes(text) || this.stderr.includes(text)) resolve();
      };
      this.child.stdout.on("data", look);
      this.child.stderr.on("data", look);
      this.child.on("close", () => {
        reject(new Error(`It ended and did not say "${text}", but:\n${this.stdout}\n${this.stderr}`));
      });
      look();
    });
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  /** An ACP client at its pipes: each line that comes is held against the schema. */
  asEditor(cwd: string): AcpClient {
    return new AcpClient(new StreamTransport(this.child.stdout, this.child.stdin), cwd);
  }
}

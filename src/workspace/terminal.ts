import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Readable } from "node:stream";
import type { Clock } from "../ground/clock.ts";
import type { Command } from "./command.ts";
import { type ExitStatus, exitStatus } from "./exit-status.ts";
import { OutputTail, type Printed } from "./output-tail.ts";
import { type LivingProcesses, ProcessGroup } from "./process-group.ts";

/** The answer of `terminal/output`. */
export interface TerminalOutput extends Printed {
  readonly exitStatus?: ExitStatus;
}

/** What a terminal needs of the machine. */
export interface Surroundings {
  readonly processes: LivingProcesses;
  readonly clock: Clock;
}

/**
 * A command that an agent had started, and what it printed. Its stdin is empty: nobody sits there to type, and a
 * program that asks would wait for ever. stdout and stderr are two pipes, put together as they arrive.
 */
export class Terminal {
  readonly id = `terminal-${randomBytes(8).toString("hex")}`;
  /** When it ended, and all that it printed was read. */
  readonly exited: Promise<ExitStatus>;
  readonly #output: OutputTail;
  readonly #group: ProcessGroup;
  #exitStatus: ExitStatus | undefined;

  private constructor(
    child: ChildProcess,
    pid: number,
    pipes: readonly Readable[],
    limit: number,
    around: Surroundings,
  ) {
    this.#output = new OutputTail(limit);
    for (const pipe of pipes) {
      const print = this.#output.inlet();
      pipe.on("data", print);
      pipe.on("end", () => print());
    }
    const hasExited = (): boolean => child.exitCode !== null || child.signalCode !== null;
    this.#group = new ProcessGroup({ pid, hasExited }, around.processes, around.clock);
    this.exited = exitStatus(child, pipes, around.clock).then((status) => {
      this.#exitStatus = status;
      return status;
    });
  }

  /** Starts a command. `limit`: bytes of output that are kept. Rejects with Node's own error (ENOENT, EACCES, …). */
  static async start(command: Command, limit: number, around: Surroundings): Promise<Terminal> {
    const { program, args, cwd, environment } = command;
    const child = spawn(program, args, {
      cwd,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
      // In a process group of its own: ended as a whole, and out of the way of signals to the hall's.
      detached: true,
      shell: false,
    });
    const { pid, stdout, stderr } = child;
    if (pid === undefined) {
      const [error] = await once(child, "error");
      throw error;
    }
    return new Terminal(child, pid, [stdout, stderr], limit, around);
  }

  /** What it printed so far. */
  get output(): TerminalOutput {
    const printed = this.#output.printed();
    return this.#exitStatus ? { ...printed, exitStatus: this.#exitStatus } : printed;
  }

  /** Nothing of it runs any more. */
  get isGone(): boolean {
    return this.#group.isGone;
  }

  /** SIGTERM, then after `grace` milliseconds SIGKILL. Resolves when nothing of it is left, as far as signals go. */
  end(grace: number): Promise<void> {
    return this.#group.end(grace);
  }
}

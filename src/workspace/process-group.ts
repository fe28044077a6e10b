import { MessageChannel } from "node:worker_threads";
import { type Clock, pause } from "../ground/clock.ts";
import { codeOf } from "../ground/thrown.ts";

/** A process that leads a group of its own, as Node knows it. */
export interface Leader {
  readonly pid: number;
  /** Whether Node has its exit, and its number may be given to another process. */
  hasExited(): boolean;
}

/** The processes of this machine that live. One that ended, and was not waited for yet, does not. */
export interface LivingProcesses {
  list(): readonly { readonly pid: number; readonly group: number }[];
}

/** Milliseconds between two looks at whether a group is gone, doubling from the first to the last. */
const FIRST_LOOK_MS = 20;
const LAST_LOOK_MS = 200;

/**
 * A command's process group: the command, and whatever it started that stayed with it. What left the group (a
 * daemon, `setsid`) carries the agent process's mark in its environment, and is ended with the agent process.
 */
export class ProcessGroup {
  readonly #leader: Leader;
  readonly #processes: LivingProcesses;
  readonly #clock: Clock;
  #end: Promise<void> | undefined;

  constructor(leader: Leader, processes: LivingProcesses, clock: Clock) {
    this.#leader = leader;
    this.#processes = processes;
    this.#clock = clock;
  }

  /** Nobody is left in it. */
  get isGone(): boolean {
    const { pid } = this.#leader;
    if (!this.#leader.hasExited()) return false;
    // The usual case, which costs no look at every process.
    if (!isThere(-pid)) return true;
    try {
      const members = this.#members();
      // While a group has members, its number is given to no new process: if one has it, they are somebody else's.
      return members.length === 0 || members.includes(pid);
    } catch {
      // The processes cannot be listed now (too many open files): it may be there, and the time limits decide.
      return false;
    }
  }

  /** SIGTERM, then after `grace` milliseconds SIGKILL. Resolves when it is gone; after twice the grace anyway. */
  end(grace: number): Promise<void> {
    this.#end ??= this.#endBySteps(grace);
    return this.#end;
  }

  async #endBySteps(grace: number): Promise<void> {
    // The clock's alarms let Node end; what is being ended must not stay behind because nothing else is open.
    const hold = new MessageChannel();
    hold.port1.ref();
    try {
      for (const signal of ["SIGTERM", "SIGKILL"] as const) {
        if (this.isGone) return;
        send(-this.#leader.pid, signal);
        if (await this.#goneWithin(grace)) return;
      }
    } finally {
      hold.port1.close();
    }
  }

  #members(): number[] {
    const { pid } = this.#leader;
    return this.#processes.list().flatMap((living) => (living.group === pid ? [living.pid] : []));
  }

  async #goneWithin(ms: number): Promise<boolean> {
    const end = this.#clock.monotonic() + ms;
    let look = FIRST_LOOK_MS;
    while (!this.isGone) {
      const rest = end - this.#clock.monotonic();
      if (rest <= 0) return false;
      await pause(this.#clock, Math.min(rest, look));
      look = Math.min(2 * look, LAST_LOOK_MS);
    }
    return true;
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Not for us to signal, but there.
    return codeOf(error) === "EPERM";
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const code = codeOf(error);
    // It was gone first, or has become another user's (`sudo`): whoever waits for its end sees which.
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

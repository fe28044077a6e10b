import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

export interface OrphanParts {
  program: string;
  args: readonly string[];
  cwd: string;
  /** Its whole environment. */
  env: NodeJS.ProcessEnv;
  /** An open file, for all that it prints. */
  log: number;
}

/** Leaves the program running, tells its pid, and is over: nobody is the program's parent then. */
const LEAVE_RUNNING = '"$0" "$@" </dev/null >&3 2>&3 3>&- & echo $!';

/**
 * Starts a program that belongs to nobody: in a session of its own, and not below us in the tree of processes, which
 * editors and others end from the leaves when they are done with us. Resolves with its pid; rejects with Node's error.
 */
export async function startOrphan({ program, args, cwd, env, log }: OrphanParts): Promise<number> {
  const shell = spawn("/bin/sh", ["-c", LEAVE_RUNNING, program, ...args], {
    cwd,
    env,
    detached: true,
    stdio: ["ignore", "pipe", log, log],
  });
  const over = once(shell, "close");
  const said = shell.stdout ? text(shell.stdout) : "";
  await over;
  const pid = Number(await said);
  if (Number.isInteger(pid) && pid > 0) return pid;
  throw new Error(`/bin/sh could not start ${program}`);
}

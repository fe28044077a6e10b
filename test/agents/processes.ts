import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Where the kernel shows the processes there are; not on every system. */
const PROC = "/proc";

export const canSeeProcesses = existsSync(join(PROC, "self", "environ"));

/** Pids of the processes whose command line holds this text. */
export const runningWith = (text: string): number[] => pidsWhere("cmdline", text);

/** Pids of the processes that were started with this text in their environment, or whose parents were. */
export const markedWith = (text: string): number[] => pidsWhere("environ", text);

/** A variable of a process's environment, as it was started with. */
export function variableOf(pid: number, name: string): string | undefined {
  const variables = contentOf(pid, "environ").split("\0");
  return variables.find((variable) => variable.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Ends processes at once; those that are gone by then are no failure. */
export function endAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }
}

function pidsWhere(file: "cmdline" | "environ", text: string): number[] {
  const pids = readdirSync(PROC).map(Number).filter(Number.isInteger);
  return pids.filter((pid) => pid !== process.pid && contentOf(pid, file).includes(text));
}

function contentOf(pid: number, file: string): string {
  try {
    return readFileSync(join(PROC, `${pid}`, file), "utf8");
  } catch {
    // It ended meanwhile, or is another user's.
    return "";
  }
}

import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { bootId } from "./boot-id.ts";

/** A process, told apart from every other that had its pid before it or will have it after. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in this system's own words: clock ticks since boot (Linux), or the date that `ps` prints. */
  readonly startTime: string;
  /** In which run of the machine: ticks since boot say nothing about another one. */
  readonly boot?: string;
  /** Linux: in which pid namespace the pid counts. Containers that share a volume have pids of their own. */
  readonly namespace?: string;
}

/** `elsewhere`: it lives, or lived, where its pid means nothing to us. */
export type Standing = "running" | "gone" | "elsewhere";

/** Undefined: no such process runs. One that is over and not yet waited for does not run. */
export function identify(pid: number): ProcessIdentity | undefined {
  const startTime = process.platform === "linux" ? startFromProc(pid) : startFromPs(pid);
  if (startTime === undefined) return undefined;
  const boot = bootId();
  const namespace = pidNamespace();
  return {
    pid,
    startTime,
    ...(boot === undefined ? {} : { boot }),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

/** This process. Throws when the system does not show even that. */
export function thisProcess(): ProcessIdentity {
  const identity = identify(process.pid);
  if (identity) return identity;
  throw new Error("The system does not say when this process started: /proc must be mounted.");
}

/** What became of a process that was identified earlier, perhaps in another run of the machine. */
export function standing(identity: ProcessIdentity): Standing {
  const boot = bootId();
  if (identity.boot !== undefined && boot !== undefined && identity.boot !== boot) return "gone";
  const namespace = pidNamespace();
  if (identity.namespace !== undefined && identity.namespace !== namespace) return "elsewhere";
  return identify(identity.pid)?.startTime === identity.startTime ? "running" : "gone";
}

export function isProcessIdentity(value: unknown): value is ProcessIdentity {
  if (typeof value !== "object" || value === null) return false;
  const { pid, startTime, boot, namespace }: Partial<Record<keyof ProcessIdentity, unknown>> = value;
  const named = (name: unknown): boolean => name === undefined || typeof name === "string";
  return Number.isSafeInteger(pid) && typeof startTime === "string" && named(boot) && named(namespace);
}

/**
 * Field 22 of /proc/PID/stat (proc_pid_stat(5)). The fields are counted from behind the last parenthesis: the
 * program's name stands before it and may hold anything.
 */
function startFromProc(pid: number): string | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return undefined;
  }
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const isOver = fields[0] === "Z" || fields[0] === "X";
  return isOver ? undefined : fields[19];
}

/** Exported for the systems without /proc to be tested on one that has it. */
export function startFromPs(pid: number): string | undefined {
  try {
    const line = execFileSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C" },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [, state, start] = /^\s*(\S+)\s+(.*\S)\s*$/.exec(line) ?? [];
    return state?.startsWith("Z") ? undefined : start;
  } catch {
    // ps ends with 1 when there is no such process.
    return undefined;
  }
}

function pidNamespace(): string | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return undefined;
  }
}

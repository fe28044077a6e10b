import { readFileSync } from "node:fs";

/** Bytes of memory that a process has, as the kernel says (proc_pid_status(5)); 0 where it cannot be told. */
export function residentBytes(pid: number): number {
  try {
    const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    return Number(kibibytes ?? 0) * 1024;
  } catch {
    // It is gone, or this system has no such files.
    return 0;
  }
}

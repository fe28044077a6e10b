import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * A name for this run of the machine: another one after each boot. Undefined where the system does not tell;
 * such a boot counts as another one than any before it.
 */
export function bootId(): string | undefined {
  try {
    if (process.platform === "linux") return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return execFileSync("/usr/sbin/sysctl", ["-n", "kern.boottime"], { encoding: "utf8" }).trim();
  } catch {
    // No /proc, no sysctl: not knowing is an answer that every caller has to take anyway.
    return undefined;
  }
}

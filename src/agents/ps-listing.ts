import { spawnSync } from "node:child_process";
import type { ProcessRow } from "./process-table.ts";
import type { SurveyedTable } from "./shared-table.ts";

const COLUMNS = "pid=,ppid=,pgid=,stat=,lstart=";

/** Systems without /proc (macOS, the BSDs): what `ps` tells. It shows no environment, so there are no marks. */
export class PsListing implements SurveyedTable {
  list(): ProcessRow[] {
    return rowsOf(ps("-A", "-o", COLUMNS)).filter((row) => !row.zombie);
  }

  find(pid: number): ProcessRow | undefined {
    return rowsOf(ps("-p", String(pid), "-o", COLUMNS))[0];
  }

  marked(): ProcessRow[] {
    return [];
  }

  byMark(): ReadonlyMap<string, readonly ProcessRow[]> {
    return new Map();
  }

  commandLine(pid: number): string[] {
    return ps("-p", String(pid), "-o", "args=").trim().split(/\s+/).filter(Boolean);
  }
}

/** What `ps` prints; it ends with 1, and prints nothing, when there is no such process. */
function ps(...args: string[]): string {
  // In one language and time zone, so that a start time reads the same from one call to the next.
  const env = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
  const { error, status, stdout } = spawnSync("ps", args, {
    env,
    encoding: "utf8",
    maxBuffer: 64 * 1024 ** 2,
  });
  if (error) throw error;
  if (status === 0 || status === 1) return stdout;
  throw new Error(`ps ${args.join(" ")} ended with ${status}.`);
}

function rowsOf(text: string): ProcessRow[] {
  return text.split("\n").flatMap((line) => {
    const [, pid, parent, group, state, startTime] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*\S)\s*$/.exec(line) ?? [];
    if (state === undefined || startTime === undefined) return [];
    return {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: state.includes("s") ? Number(pid) : undefined,
      startTime,
      zombie: state.startsWith("Z"),
    };
  });
}

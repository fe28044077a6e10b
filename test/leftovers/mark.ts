import { readdirSync, readFileSync } from "node:fs";

/**
 * What each process of a test run carries in its environment: the run, and behind a colon the test file. Its name is
 * of a kind that a hall lets through to its agents.
 */
const VARIABLE = "XDG_HALL_TEST";

/** Whatever is started from here on is of this run. */
export const markRun = (run: string): void => {
  process.env[VARIABLE] = run;
};

/** Whatever is started from here on is of this file. */
export const markFile = (file: string): void => {
  const [run] = (process.env[VARIABLE] ?? "").split(":");
  process.env[VARIABLE] = `${run}:${file}`;
};

/** The mark of now, for an environment that is made from nothing. */
export const markOfNow = (): Record<string, string> => ({ [VARIABLE]: process.env[VARIABLE] ?? "" });

export interface Leftover {
  pid: number;
  file: string;
  command: string;
}

/** Living processes that a test of this run started; none where the system shows no environments. */
export function leftoversOf(run: string): Leftover[] {
  const beginning = `${VARIABLE}=${run}:`;
  return pids().flatMap((pid) => {
    const mark = words(pid, "environ").find((word) => word.startsWith(beginning));
    // A process that ended and was not waited for has no command line.
    const command = mark === undefined ? [] : words(pid, "cmdline");
    return mark !== undefined && command.length > 0
      ? [{ pid, file: mark.slice(beginning.length), command: command.join(" ").slice(0, 300) }]
      : [];
  });
}

function pids(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function words(pid: number, file: "environ" | "cmdline"): string[] {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8").split("\0").filter(Boolean);
  } catch {
    // It ended meanwhile, or is somebody else's.
    return [];
  }
}

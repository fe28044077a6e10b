import { spawnSync } from "node:child_process";
import type { Household } from "./household.ts";
import { HALL } from "./household.ts";
import type { Running } from "./running.ts";

/** util-linux's `script` gives a program a terminal of its own. */
export const hasTerminals = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes(
  "util-linux",
);

/** `hall` with these arguments at a terminal: what is written to its stdin is typed there. */
export function atTerminal(home: Household, args: readonly string[], env: NodeJS.ProcessEnv = {}): Running {
  const line = [process.execPath, HALL, ...args]
    .map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
    .join(" ");
  const script = ["--quiet", "--return", "--command", `exec ${line}`, "/dev/null"];
  return home.startProgram("script", script, { TERM: "xterm", SHELL: "/bin/sh", ...env }).read();
}

// @ts-check
import { spawn } from "node:child_process";

/** @import { Grandchild } from "./ways.ts" */

/** Nobody has to end it: a test that fails leaves no process behind for longer. */
const SECONDS_TO_LIVE = 180;

/**
 * Ignored signals stay ignored across exec, so what sleeps in the end is one process, with the pid that
 * stands in the file.
 * @param {Grandchild} ways
 */
export function startGrandchild(ways) {
  const script = [
    ways.ignoreSignals ? 'trap "" INT TERM HUP' : "",
    ways.pidFile ? 'echo $$ > "$1.new" && mv "$1.new" "$1"' : "",
    `exec sleep ${SECONDS_TO_LIVE}`,
  ];
  const child = spawn("sh", ["-c", script.filter(Boolean).join("; "), "sh", ways.pidFile ?? ""], {
    detached: ways.setsid ?? false,
    stdio: ["ignore", ways.holdStdout ? "inherit" : "ignore", "ignore"],
  });
  child.unref();
}

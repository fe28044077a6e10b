import { setTimeout as pause } from "node:timers/promises";
import { type Leftover, leftoversOf, markRun } from "./mark.ts";

/** How long the last processes of a run may take to end, in milliseconds: a stop waits some seconds for each. */
const PATIENCE_MS = 10_000;
const LOOK_MS = 250;

/** A run leaves no process behind: what is left is named, ended, and fails the run. */
export default function setup(): () => Promise<void> {
  const run = `run-${process.pid}`;
  markRun(run);
  return async () => {
    const end = performance.now() + PATIENCE_MS;
    let left = leftoversOf(run);
    while (left.length > 0 && performance.now() < end) {
      await pause(LOOK_MS);
      left = leftoversOf(run);
    }
    if (left.length === 0) return;
    for (const leftover of left) kill(leftover);
    const lines = left.map(({ pid, file, command }) => `  ${file}: ${command} (pid ${pid})`);
    console.error(`\nTests left processes behind:\n${lines.join("\n")}\n`);
    // An error that is thrown here is only shown.
    process.exitCode = 1;
  };
}

function kill({ pid }: Leftover): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended in this moment.
  }
}

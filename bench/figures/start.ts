import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type Bench, milliseconds } from "../figure.ts";
import { BenchHall } from "../hall.ts";
import { inRounds, median } from "../rounds.ts";

const ROUNDS = 9;
const AT_MOST_MS = 300;

/** A hall on a state directory that it has used before: what its agent can do it has learned. */
async function open(folder: string): Promise<number> {
  const begun = performance.now();
  const hall = await BenchHall.startIn(folder);
  const client = await hall.connect();
  await client.initialize();
  const ms = performance.now() - begun;
  await hall.halt();
  return ms;
}

/** Node itself, with nothing to run. */
async function nothing(): Promise<number> {
  const begun = performance.now();
  await once(spawn(process.execPath, ["--eval", ""], { stdio: "ignore" }), "exit");
  return performance.now() - begun;
}

export const start: Bench = {
  name: "start",
  async run() {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "hall-bench-"));
    try {
      const { hall, node } = await inRounds(ROUNDS, { hall: () => open(folder), node: nothing });
      const ms = median(hall);
      return [
        {
          what: "from the start of the process to the first initialize answered",
          target: `< ${AT_MOST_MS} ms`,
          measured: milliseconds(ms),
          from: `${milliseconds(Math.min(...hall))} to ${milliseconds(Math.max(...hall))}; Node itself ${milliseconds(median(node))}`,
          met: ms < AT_MOST_MS,
        },
      ];
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  },
};

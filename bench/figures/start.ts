import fs from "node:fs";
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

export const start: Bench = {
  name: "start",
  async run() {
    const folder = fs.mkdtempSync("/tmp/hall-bench-start-");
    try {
      const { hall } = await inRounds(ROUNDS, { hall: () => open(folder) });
      const ms = median(hall);
      return [
        {
          what: "from the start of the process to the first initialize answered",
          target: `< ${AT_MOST_MS} ms`,
          measured: milliseconds(ms),
          from: `${milliseconds(Math.min(...hall))} to ${milliseconds(Math.max(...hall))}`,
          met: ms < AT_MOST_MS,
        },
      ];
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  },
};

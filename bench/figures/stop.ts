import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type Bench, milliseconds } from "../figure.ts";
import { BenchHall } from "../hall.ts";
import { ROOT } from "../program.ts";

const AGENTS = 200;
const AT_MOST_MS = 10_000;

/** A hall that stops as it does for people, with many agents that end when their stdin is closed. */
export const stop: Bench = {
  name: "stop",
  async run() {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "hall-bench-"));
    const command = ["/bin/sh", path.join(ROOT, "bench", "idle-agent.sh")];
    try {
      const hall = await BenchHall.startIn(folder, { command, processes: AGENTS });
      const client = await hall.connect();
      await client.initialize();
      for (let agents = 0; agents < AGENTS; agents++) await client.newSession();
      const begun = performance.now();
      await hall.halt();
      const ms = performance.now() - begun;
      return [
        {
          what: `a hall with ${AGENTS} agents stops`,
          target: `< ${milliseconds(AT_MOST_MS)}`,
          measured: milliseconds(ms),
          from: "one run",
          met: ms < AT_MOST_MS,
        },
      ];
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  },
};

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type Bench, milliseconds } from "../figure.ts";
import { BenchHall } from "../hall.ts";
import { makeSession } from "../made-session.ts";
import { median } from "../rounds.ts";

const SESSIONS = 10_000;
const LISTS = 20;
const START_MS = 2_000;
const LIST_MS = 50;

/** From the start of the process to an open hall. */
async function start(folder: string): Promise<{ hall: BenchHall; ms: number }> {
  const begun = performance.now();
  const hall = await BenchHall.startIn(folder);
  return { hall, ms: performance.now() - begun };
}

/** A hall that keeps ten thousand sessions: how it starts, after a stop and after a kill, and lists them. */
export const manySessions: Bench = {
  name: "many-sessions",
  async run() {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "hall-bench-"));
    for (let number = 1; number <= SESSIONS; number++) makeSession(folder, number, 2);
    // Nothing tells of a clean stop: each session's record is read.
    const killed = await start(folder);
    await killed.hall.halt();
    const stopped = await start(folder);
    try {
      const client = await stopped.hall.connect();
      await client.initialize();
      const lists: number[] = [];
      for (let n = 0; n < LISTS; n++) {
        const begun = performance.now();
        await client.request("session/list", {});
        lists.push(performance.now() - begun);
      }
      const list = median(lists);
      const row = (what: string, ms: number, most: number) => ({
        what,
        target: `< ${most} ms`,
        measured: milliseconds(ms),
        from: `${SESSIONS} sessions`,
        met: ms < most,
      });
      return [
        row("a hall with 10,000 sessions starts, after a stop", stopped.ms, START_MS),
        row("… after a kill, when it reads each record", killed.ms, START_MS),
        row("… lists a page of them", list, LIST_MS),
      ];
    } finally {
      await stopped.hall.stop();
    }
  },
};

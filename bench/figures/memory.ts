import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { type Bench, mebibytes } from "../figure.ts";
import { BenchHall } from "../hall.ts";
import { NOTHING } from "../order.ts";
import type { Memory } from "../probe.ts";
import { ROOT } from "../program.ts";

const SESSIONS = 500;
/** Made before the first look: what is there once for all sessions is there then. */
const BEFORE = 20;
/** Looks, and milliseconds between two: in the course of them Node gives back what it does not use. */
const LOOKS = 8;
const REST_MS = 2_000;
const AT_MOST_BYTES = 60 * 1024;

/** A session on a connection of its own, with an agent process of its own, that has had one turn. */
async function rest(hall: BenchHall): Promise<void> {
  const client = await hall.connect();
  await client.initialize();
  await client.prompt(await client.newSession(), NOTHING);
}

async function many(hall: BenchHall, sessions: number): Promise<void> {
  for (let n = 0; n < sessions; n++) await rest(hall);
}

async function atRest(hall: BenchHall): Promise<Memory> {
  for (let look = 1; look < LOOKS; look++) {
    await hall.ask("memory");
    await setTimeout(REST_MS);
  }
  return hall.ask("memory");
}

export const memory: Bench = {
  name: "memory",
  async run() {
    const command = ["/bin/sh", path.join(ROOT, "bench", "idle-agent.sh")];
    const hall = await BenchHall.start({ command, processes: 2 * SESSIONS, probed: true });
    try {
      await many(hall, BEFORE);
      const before = await atRest(hall);
      await many(hall, SESSIONS);
      const after = await atRest(hall);
      const each = (after.rss - before.rss) / SESSIONS;
      const live = (after.live - before.live) / SESSIONS;
      return [
        {
          what: `memory of an idle session with its connection and its running agent, one of ${SESSIONS}`,
          target: "< 60 KB",
          measured: `${(each / 1024).toFixed(1)} KB`,
          from: `${mebibytes(before.rss)} to ${mebibytes(after.rss)}; ${(live / 1024).toFixed(1)} KB of it live objects`,
          met: each < AT_MOST_BYTES,
        },
      ];
    } finally {
      await hall.stop();
    }
  },
};

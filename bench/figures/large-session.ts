import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type Bench, MIB, mebibytes } from "../figure.ts";
import { BenchHall } from "../hall.ts";
import { makeSession, sessionId } from "../made-session.ts";

const UPDATES = 5_000_000;
const AT_MOST_BYTES = 64 * MIB;

/** A session of two gigabytes is loaded: what the hall needs for it, and how fast it comes. */
export const largeSession: Bench = {
  name: "large-session",
  async run() {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "hall-bench-"));
    const bytes = makeSession(folder, 1, UPDATES);
    const hall = await BenchHall.startIn(folder, { probed: true });
    try {
      const client = await hall.connect();
      await client.initialize();
      // Once with little, so that what a load needs at all is there.
      await client.request("session/list", {});
      const before = await hall.ask("watch");
      const begun = performance.now();
      await client.load(sessionId(1));
      const seconds = (performance.now() - begun) / 1000;
      const peak = await hall.ask("peak");
      if (client.updates !== UPDATES) throw new Error(`${client.updates} of ${UPDATES} lines were loaded`);
      const grown = peak.rss - before.rss;
      return [
        {
          what: `a session of ${(bytes / 2 ** 30).toFixed(1)} GiB and ${UPDATES} updates is loaded: the hall's memory grows by`,
          target: `< ${AT_MOST_BYTES / MIB} MiB`,
          measured: mebibytes(grown),
          from: `${seconds.toFixed(1)} s, ${Math.round(bytes / 1e6 / seconds)} MB/s`,
          met: grown < AT_MOST_BYTES,
        },
      ];
    } finally {
      await hall.stop();
    }
  },
};

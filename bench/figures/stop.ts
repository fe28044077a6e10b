import path from "node:path";
import { type Bench, milliseconds } from "../figure.ts";
import { BenchHall } from "../hall.ts";
import { NOTHING } from "../order.ts";
import { ROOT } from "../program.ts";

const AGENTS = 500;
const AT_MOST_MS = 5_000;

/** How long a hall takes to stop by SIGTERM when nothing runs in it, with many agents to end. */
export const stop: Bench = {
  name: "stop",
  async run() {
    const command = ["/bin/sh", path.join(ROOT, "bench", "idle-agent.sh")];
    const hall = await BenchHall.start({ command, processes: AGENTS });
    let took: number;
    try {
      const client = await hall.connect();
      await client.initialize();
      for (let n = 0; n < AGENTS; n++) await client.prompt(await client.newSession(), NOTHING);
    } finally {
      const begun = performance.now();
      await hall.halt();
      took = performance.now() - begun;
      await hall.stop();
    }
    return [
      {
        what: `from SIGTERM to the end of a hall with ${AGENTS} idle agents`,
        target: `< ${AT_MOST_MS / 1000} s`,
        measured: milliseconds(took),
        from: "one run",
        met: took < AT_MOST_MS,
      },
    ];
  },
};

import type { Bench } from "./figure.ts";
import { tableOf } from "./figure.ts";
import { adapters } from "./figures/adapters.ts";
import { clients } from "./figures/clients.ts";
import { framing } from "./figures/framing.ts";
import { largeSession } from "./figures/large-session.ts";
import { manySessions } from "./figures/many-sessions.ts";
import { memory } from "./figures/memory.ts";
import { relay } from "./figures/relay.ts";
import { replay } from "./figures/replay.ts";
import { roundTrip } from "./figures/round-trip.ts";
import { sessions } from "./figures/sessions.ts";
import { slowClient } from "./figures/slow-client.ts";
import { start } from "./figures/start.ts";
import { stop } from "./figures/stop.ts";
import { warm } from "./figures/warm.ts";

/** `npm run bench [-- NAME…]`: docs/performance.md says what is measured, and how. Fails only if a part cannot run. */
const BENCHES: readonly Bench[] = [
  framing,
  adapters,
  start,
  warm,
  stop,
  relay,
  sessions,
  clients,
  roundTrip,
  replay,
  largeSession,
  manySessions,
  slowClient,
  memory,
];

async function main(names: readonly string[]): Promise<void> {
  const unknown = names.filter((name) => !BENCHES.some((bench) => bench.name === name));
  if (unknown.length > 0) {
    const known = BENCHES.map(({ name }) => name).join(", ");
    throw new Error(`There is no ${unknown.join(", ")}; there are: ${known}.`);
  }
  const wanted = BENCHES.filter(({ name }) => names.length === 0 || names.includes(name));
  const figures = [];
  for (const bench of wanted) {
    process.stderr.write(`${bench.name} …\n`);
    figures.push(...(await bench.run()));
  }
  process.stdout.write(`${tableOf(figures)}\n`);
}

await main(process.argv.slice(2));

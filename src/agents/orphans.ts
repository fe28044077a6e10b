import type { Clock } from "../ground/clock.ts";
import { untilGone } from "./ending.ts";
import { Family, type Send } from "./family.ts";
import type { Ledger } from "./ledger.ts";
import { markOf } from "./mark.ts";
import { isAlive, type ProcessTable } from "./process-table.ts";

export interface OrphanParts {
  clock: Clock;
  table: ProcessTable;
  send?: Send;
  self?: number;
}

export interface OrphansEnded {
  /** Numbers of the processes that were told to end. */
  pids: number[];
  /** Those of them that were still there at the end; they stay in the ledger for the next start. */
  left: number[];
}

/** Milliseconds between SIGTERM and SIGKILL, and until we stop looking. */
const TERMINATE_MS = 2_000;
const KILL_MS = 5_000;

/**
 * Ends what a hall that was killed left behind: the processes of its ledger whose number and start time both
 * match, what descends from them, and what carries their marks. Nothing else is touched: a number that was given
 * to another process since then has another start time.
 */
export async function endOrphans(ledger: Ledger, parts: OrphanParts): Promise<OrphansEnded> {
  const { orphans } = ledger;
  if (orphans.length === 0) return { pids: [], left: [] };
  const { clock, table } = parts;
  const leaders = orphans.flatMap((orphan) => orphan.process ?? []);
  const family = new Family({
    ...parts,
    leaders,
    groups: leaders.filter((leader) => isAlive(table, leader)).map(({ pid }) => pid),
    marks: orphans.map((orphan) => markOf(ledger.state, orphan.number)),
  });
  const pids = new Set<number>();
  const living = (): number[] => {
    const found = family.living().map((row) => row.pid);
    for (const pid of found) pids.add(pid);
    for (const leader of leaders) if (!isAlive(table, leader)) family.groupIsOver(leader.pid);
    return found;
  };
  const gone = await untilGone({
    clock,
    left: () => living().length > 0,
    steps: [
      { act: () => {}, wait: 0 },
      { act: () => family.signalAll("SIGTERM"), wait: TERMINATE_MS },
      { act: () => family.signalAll("SIGKILL"), wait: KILL_MS, final: true },
    ],
  });
  if (gone) for (const orphan of orphans) ledger.ended(orphan.number);
  return { pids: [...pids], left: gone ? [] : living() };
}

import { readdirSync } from "node:fs";
import path from "node:path";
import { readLedger } from "../../agents/ledger.ts";
import { markOf } from "../../agents/mark.ts";
import { identityOf, isAlive, type ProcessRow, type ProcessTable } from "../../agents/process-table.ts";
import { realDisk } from "../../ground/disk.ts";
import { type Finding, Findings } from "./finding.ts";

/** What runs here that has to do with halls. */
export interface Processes {
  /** The hall that runs on the state directory; undefined: none. */
  hall: number | undefined;
  /** Agents, and what came of them, that a hall left which is gone. */
  left: readonly { pid: number; slot: string }[];
  /** What process 1 was started with. */
  first: readonly string[];
  /** Ended processes that nobody collected, by who should: parent and number. */
  uncollected: ReadonlyMap<number, number>;
}

/** Looks, and signals nobody. `state`: the state directory, which need not be there. */
export function processesOf(
  table: ProcessTable,
  state: string | undefined,
  hall: number | undefined,
): Processes {
  return {
    hall,
    left: state === undefined || hall !== undefined ? [] : leftIn(table, state),
    first: table.commandLine(1),
    uncollected: uncollectedIn(table),
  };
}

/** As the next start of a hall would find them: by the ledger, and by the marks of what stands there. */
function leftIn(table: ProcessTable, state: string): { pid: number; slot: string }[] {
  const id = realDisk.read(path.join(state, "id"))?.toString().trim();
  if (id === undefined) return [];
  const orphans = [...readLedger(realDisk, state, id).open.values()];
  const found = new Map<string, { pid: number; slot: string }>();
  for (const { number, slot, process } of orphans) {
    const marked = table.marked(new Set([markOf(id, number)]));
    const leaders = process && isAlive(table, process) ? [process] : [];
    for (const one of [...leaders, ...marked]) found.set(identityOf(one), { pid: one.pid, slot });
  }
  return [...found.values()];
}

/** A table lists the living; here it is the others that count. */
function uncollectedIn(table: ProcessTable): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { parent } of zombiesIn(table)) counts.set(parent, (counts.get(parent) ?? 0) + 1);
  return counts;
}

function zombiesIn(table: ProcessTable): ProcessRow[] {
  const names = process.platform === "linux" ? readdirSync("/proc") : [];
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  return pids.flatMap((pid) => table.find(pid) ?? []).filter(({ zombie }) => zombie);
}

/** A few come and go on any machine: a parent collects them when it gets to it. */
const MANY = 10;

export const processFindings = (processes: Processes): Finding[] => [
  ...leftFindings(processes),
  ...initFindings(processes),
];

function leftFindings({ left }: Processes): Finding[] {
  const findings = new Findings("left-processes");
  if (left.length > 0) {
    const pids = left.map(({ pid }) => pid).join(" ");
    const slots = [...new Set(left.map(({ slot }) => slot))].join(", ");
    findings.fault(
      `A hall that was killed left agent processes running (slots: ${slots}; pids: ${pids}).`,
      `hall serve: its start ends them. Or: kill ${pids}`,
    );
  }
  return findings.elseOk("No agent runs that a hall left behind").all;
}

const INIT =
  'Run the container with an init: docker run --init, or "init: true" in compose; hall\'s own image has tini.';

function initFindings({ first, hall, uncollected }: Processes): Finding[] {
  const findings = new Findings("process-1");
  const isHall = hall === 1 || isServing(first);
  const atOne = uncollected.get(1) ?? 0;
  if (isHall && atOne >= MANY)
    findings.fault(
      `The hall is process 1, and ${atOne} ended processes (zombies) wait for somebody to collect them; at the limit nothing starts any more.`,
      INIT,
    );
  else if (isHall)
    findings.warning(
      "The hall is process 1 here: what agents leave behind is its child when they end, and it collects nobody.",
      INIT,
    );
  else if (atOne >= MANY)
    findings.warning(
      `${atOne} ended processes (zombies) wait for process 1 (${first[0] ?? "unknown"}), which does not collect them.`,
      INIT,
    );
  return findings.elseOk(`Process 1 is ${first[0] ?? "not to be seen"}`).all;
}

/** `hall serve`, or `node …/main.js serve`; not an init that has these among its words. */
function isServing([program = "", ...words]: readonly string[]): boolean {
  const [script = "", command] = path.basename(program) === "node" ? words : [program, ...words];
  return command === "serve" && /(?:^|\/)(?:hall|main\.js)$/.test(script);
}

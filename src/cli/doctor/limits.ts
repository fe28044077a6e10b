import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Roster } from "../../hall/roster.ts";
import { type Finding, Findings } from "./finding.ts";

/** What the system allows a process of this user; undefined: it does not say. Infinity: as many as it likes. */
export interface SystemLimits {
  openFiles: number | undefined;
  processes: number | undefined;
}

/** Node raises its own limit of open files as far as it may, as a hall's Node will: so our own is a hall's. */
export function systemLimits(proc = "/proc"): SystemLimits {
  try {
    const table = readFileSync(`${proc}/self/limits`, "latin1");
    return { openFiles: limitIn(table, "Max open files"), processes: limitIn(table, "Max processes") };
  } catch {
    return { openFiles: limitOfShell(), processes: undefined };
  }
}

/** `Max open files            1024                 524288               files`: the name, what counts, the most. */
function limitIn(table: string, name: string): number | undefined {
  const line = table.split("\n").find((one) => one.startsWith(name));
  return line === undefined ? undefined : numberOf(line.slice(name.length).trim().split(/\s+/)[0] ?? "");
}

function limitOfShell(): number | undefined {
  try {
    return numberOf(execFileSync("/bin/sh", ["-c", "ulimit -n"], { encoding: "utf8" }).trim());
  } catch {
    return undefined;
  }
}

const numberOf = (text: string): number | undefined => {
  if (text === "unlimited") return Number.POSITIVE_INFINITY;
  const number = Number(text);
  return Number.isInteger(number) && number > 0 ? number : undefined;
};

/** Open files of a hall with nobody in it; of each agent: its pipes, its hooks' socket, its session's files. */
const FILES_OF_HALL = 64;
const FILES_OF_AGENT = 8;
/** An agent, and the commands that it runs. Their threads count too. */
const PROCESSES_OF_AGENT = 20;

export function limitFindings(system: SystemLimits, { limits }: Pick<Roster, "limits">): Finding[] {
  const files = FILES_OF_HALL + limits.processes * FILES_OF_AGENT + limits.clients;
  const processes = limits.processes * PROCESSES_OF_AGENT;
  return [
    ...findingsOf("open-files", system.openFiles, files, {
      short: `limits.processes: ${limits.processes} and limits.clients: ${limits.clients} may need ${files} open files`,
      raise: `ulimit -n ${files} before hall serve (systemd: LimitNOFILE=${files}; compose: ulimits), or lower these limits in the roster.`,
    }),
    ...findingsOf("user-processes", system.processes, processes, {
      short: `limits.processes: ${limits.processes} agents with their commands may need ${processes} processes and threads`,
      raise: `ulimit -u ${processes} before hall serve (systemd: LimitNPROC=${processes}), or lower limits.processes in the roster.`,
    }),
  ];
}

/** So little that not even a few agents fit. */
const BARELY = 4;

function findingsOf(
  check: string,
  have: number | undefined,
  need: number,
  { short, raise }: { short: string; raise: string },
): Finding[] {
  if (have === undefined) return [];
  const findings = new Findings(check);
  const told = have === Number.POSITIVE_INFINITY ? "unlimited" : String(have);
  if (have * BARELY < need) findings.fault(`${short}, and this user may have ${told}.`, raise);
  else if (have < need) findings.warning(`${short}, and this user may have ${told}.`, raise);
  return findings.elseOk(`${told}; the roster's limits need ${need} at most`).all;
}

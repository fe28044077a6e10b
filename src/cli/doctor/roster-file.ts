import { existsSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { findRoster } from "../../hall/roster/search.ts";
import { type Fault, type Roster, RosterError } from "../../hall/roster.ts";
import { loadRoster } from "../chosen-roster.ts";
import { type Finding, Findings } from "./finding.ts";

/** The roster as it was found. */
export interface RosterFile {
  /** Why there is none; else `file` is there. */
  problem?: string;
  file?: string;
  /** What led to it. */
  way: string;
  /** All that is wrong with it; empty: `roster` is there. */
  faults: readonly Fault[];
  roster?: Roster;
  /** Permission bits of the file; undefined where it cannot be looked at. */
  mode?: number;
}

export interface RosterSearchPlace {
  config?: string | undefined;
  env: NodeJS.ProcessEnv;
  here: string;
}

export function rosterFound({ config, env, here }: RosterSearchPlace): RosterFile {
  const search = { config, env, here, hereCounts: true, home: os.homedir(), exists: existsSync };
  const found = findRoster(search);
  const way = wayTo(config, env, here, "file" in found ? found.file : undefined);
  if ("problem" in found) return { problem: found.problem, way, faults: [] };
  const { file } = found;
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  const known = { file, way, ...(mode === undefined ? {} : { mode }) };
  try {
    return { ...known, faults: [], roster: loadRoster(file, env) };
  } catch (error) {
    if (!(error instanceof RosterError)) throw error;
    return { ...known, faults: error.faults };
  }
}

function wayTo(
  config: string | undefined,
  env: NodeJS.ProcessEnv,
  here: string,
  file: string | undefined,
): string {
  if (config) return "by --config";
  if (env.HALL_CONFIG) return "by $HALL_CONFIG";
  return file === path.join(here, "hall.yml") ? "in this folder" : "in the config folder";
}

const OTHERS_MAY_READ = 0o044;

export function rosterFindings({ problem, file, way, faults, roster, mode = 0 }: RosterFile): Finding[] {
  const findings = new Findings("roster", file);
  if (problem !== undefined) return findings.fault(problem, "hall init").all;
  for (const { line, column, path: key, message } of faults) {
    const [what = message, ...todo] = message.split("; ");
    const where = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
    findings.fault(
      `${where}: ${key === "" ? "" : `${key}: `}${what}`,
      todo.join("; ") || "Correct it, then hall check.",
    );
  }
  for (const { line, path: key, message } of roster?.warnings ?? []) {
    const place = line === undefined ? "" : `, line ${line}`;
    findings.warning(
      `${key}: ${message}`,
      `Change it in ${file}${place}; docs/roster.md says what each key means.`,
    );
  }
  if (roster && tellsKeys(roster) && (mode & OTHERS_MAY_READ) !== 0)
    findings.warning("Keys are written in it, and other users may read it.", `chmod go-r ${file}`);
  const count = roster?.slots.length ?? 0;
  return findings.elseOk(`${file}, found ${way}; ${count} ${count === 1 ? "slot" : "slots"}`).all;
}

const KEY_NAME = /KEY|TOKEN|SECRET|PASSWORD/i;

/** A key stands in it as it is, not by a variable. */
const tellsKeys = ({ slots, text }: Roster): boolean =>
  slots.some(({ env }) =>
    Object.entries(env).some(([name, value]) => KEY_NAME.test(name) && value !== "" && text.includes(value)),
  );

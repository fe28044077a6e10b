import { existsSync } from "node:fs";
import os from "node:os";
import { knownAgentNames } from "../agents/registry.ts";
import { type FoundRoster, findRoster } from "../hall/roster/search.ts";
import { type Roster, readRoster } from "../hall/roster.ts";
import { NoHall, UsageError } from "./usage.ts";

/** The roster's file, for what a person runs on it: `./hall.yml` counts. Throws a UsageError when there is none. */
export function rosterFile(config: string | undefined, env = process.env): string {
  const found = search({ config, hereCounts: true, env });
  if ("problem" in found) throw new UsageError(found.problem);
  return found.file;
}

/**
 * The roster's file, for what is not run on purpose: an editor runs `hall acp` in whatever folder is open, and
 * `./hall.yml` there may be anybody's. Throws NoHall when there is none, for whoever needs it to start one.
 */
export function rosterFileElsewhere(config: string | undefined, env = process.env): string {
  const found = search({ config, hereCounts: false, env });
  if ("file" in found) return found.file;
  const wanted = search({ config, hereCounts: false, env, exists: () => true });
  if ("problem" in wanted) throw new NoHall(`No hall runs, and none can be started: ${wanted.problem}`);
  throw new NoHall(
    `No hall runs, and there is no roster to start one with; make one: hall init --config ${wanted.file}`,
  );
}

/** Throws a RosterError with all that is wrong. */
export const loadRoster = (file: string, env = process.env): Roster =>
  readRoster(file, env, { knownAgents: knownAgentNames() });

interface Search {
  config: string | undefined;
  hereCounts: boolean;
  env: NodeJS.ProcessEnv;
  exists?: (path: string) => boolean;
}

const search = ({ exists = existsSync, ...rest }: Search): FoundRoster =>
  findRoster({ ...rest, here: process.cwd(), home: os.homedir(), exists });

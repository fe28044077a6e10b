import { createHash } from "node:crypto";
import os from "node:os";
import path from "node:path";
import { isFields } from "../acp/checks.ts";
import type { Disk } from "../ground/disk.ts";
import { isOwnFolder, makeOwnFolder } from "../ground/own-folder.ts";
import { isProcessIdentity, type ProcessIdentity, standing } from "../ground/process-identity.ts";
import { messageOf } from "../ground/thrown.ts";

/** A hall that runs, and where it answers: what it writes for whoever looks for it. */
export interface RunningHall extends ProcessIdentity {
  /** The state directory. */
  readonly state: string;
  /** The roster's file. */
  readonly roster: string;
  readonly addresses: Addresses;
  readonly version: string;
}

export interface Addresses {
  /** `host:port`; null: not listening. */
  readonly tcp: string | null;
  readonly http: string | null;
  /** The UNIX socket's path. */
  readonly unix: string;
}

/**
 * Writes down where this hall answers (0600, in a folder of this user's alone), until the answer is called.
 * Throws a sentence when no folder can be had.
 */
export function announce(hall: RunningHall, disk: Disk, environment = process.env): () => void {
  const file = path.join(ownFolder(environment), fileOf(hall));
  disk.replace(file, JSON.stringify(hall));
  return () => disk.remove(file);
}

/**
 * The halls of this user that run. What one left that ended without a word is removed; one that cannot be judged
 * from here (another container with the same home) is passed over.
 */
export function runningHalls(disk: Disk, environment = process.env): RunningHall[] {
  const halls = new Map<string, RunningHall>();
  for (const folder of foldersOf(environment).filter(isOwnFolder)) {
    for (const name of disk.list(folder).filter((entry) => entry.endsWith(".json"))) {
      const file = path.join(folder, name);
      const hall = readHall(file, disk);
      const found = hall && standing(hall);
      if (found === "gone") disk.remove(file);
      if (hall && found === "running") halls.set(hall.state, hall);
    }
  }
  return [...halls.values()];
}

/** A hall that an editor started may know of no runtime folder where a login does: so both are looked at. */
function foldersOf(environment: NodeJS.ProcessEnv): string[] {
  const runtime = environment.XDG_RUNTIME_DIR;
  const home = environment.HOME ?? os.homedir();
  const atHome = path.join(home, ".local", "state", "hall");
  return runtime !== undefined && path.isAbsolute(runtime) ? [path.join(runtime, "hall"), atHome] : [atHome];
}

/** The first that can be ours: after `su`, $XDG_RUNTIME_DIR is still another user's. */
function ownFolder(environment: NodeJS.ProcessEnv): string {
  const failures: unknown[] = [];
  for (const folder of foldersOf(environment)) {
    try {
      makeOwnFolder(folder);
      return folder;
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(
    failures,
    `No folder for this hall's addresses: ${failures.map(messageOf).join(" ")}`,
  );
}

/** A name for this run alone: who removes a dead one's file must not meet the next one's. */
function fileOf(hall: RunningHall): string {
  const state = createHash("sha256").update(hall.state).digest("hex").slice(0, 16);
  return `${state}-${hall.pid}.json`;
}

/** Undefined: no file, or nothing that a hall of this version understands. */
function readHall(file: string, disk: Disk): RunningHall | undefined {
  const bytes = disk.read(file);
  if (!bytes) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isRunningHall(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRunningHall(value: unknown): value is RunningHall {
  if (!isFields(value) || !isProcessIdentity(value)) return false;
  const { state, roster, addresses, version } = value;
  const named = [state, roster, version].every((text) => typeof text === "string");
  return named && isAddresses(addresses);
}

function isAddresses(value: unknown): value is Addresses {
  if (!isFields(value)) return false;
  const optional = [value.tcp, value.http].every((text) => text === null || typeof text === "string");
  return optional && typeof value.unix === "string";
}

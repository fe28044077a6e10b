import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { bootId } from "../ground/boot-id.ts";
import type { Clock } from "../ground/clock.ts";
import type { Disk } from "../ground/disk.ts";
import { makeOwnFolder } from "../ground/own-folder.ts";
import { thisProcess } from "../ground/process-identity.ts";
import { socketPath } from "../ground/socket-path.ts";
import { Epoch } from "./epoch.ts";
import { Lock } from "./lock.ts";
import { isAlive } from "./lock-holder.ts";

export interface StateOptions {
  readonly disk: Disk;
  readonly clock: Clock;
  /** The hall's, for whoever finds the directory locked. */
  readonly version: string;
  /** Where $XDG_RUNTIME_DIR is looked up. */
  readonly environment?: NodeJS.ProcessEnv;
}

/** A state directory in this hall's hands: until `release`, it alone writes there. */
export interface State {
  /** Absolute, canonical. */
  readonly folder: string;
  /** Made once, with the directory. The hall's processes carry it (`HALL_PROCESS`). */
  readonly id: string;
  /** Part of each journal's name (`Epoch`). */
  readonly epoch: string;
  /** The hall before this one stopped cleanly, or there was none. */
  readonly wasClean: boolean;
  readonly sessionsFolder: string;
  /** Where the hall's UNIX socket is bound: in the directory, or in a folder of its own (`socketPath`). */
  readonly socketPath: string;
  /** Where the socket of this name is bound that one agent process has for its hooks. */
  runSocket(name: string): string;
  /** Lets go. `clean`: all that was written is synced, so that the next start need not doubt it. */
  release(clean: boolean): void;
}

/**
 * Takes a state directory, made where there is none: 0700, ours or refused. Rejects with `Locked` while another
 * hall has it.
 */
export async function openState(folder: string, options: StateOptions): Promise<State> {
  const { disk, clock, version, environment } = options;
  const place = takeFolder(folder);
  const socket = socketPath(place, "hall.sock", environment);
  const holder = {
    ...thisProcess(),
    key: randomBytes(8).toString("hex"),
    version,
    since: new Date(clock.now()).toISOString(),
    socket,
  };
  const lock = await Lock.take(place, holder, (other) => isAlive(other, clock));
  try {
    const epoch = Epoch.begin(place, disk, bootId());
    return {
      folder: place,
      id: madeOnce(path.join(place, "id"), disk),
      epoch: epoch.name,
      wasClean: epoch.wasClean,
      sessionsFolder: path.join(place, "sessions"),
      socketPath: socket,
      runSocket: (name) => socketPath(path.join(place, "run"), name, environment),
      release(clean) {
        try {
          if (clean) epoch.endCleanly();
        } finally {
          lock.release();
        }
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The folder by its own name: a link to it is a name as good as any. */
function takeFolder(folder: string): string {
  const named = path.resolve(folder);
  if (!fs.existsSync(named)) makeOwnFolder(named);
  const place = fs.realpathSync(named);
  makeOwnFolder(place);
  return place;
}

function madeOnce(file: string, disk: Disk): string {
  const found = disk.read(file)?.toString();
  if (found !== undefined && /^[0-9a-f]{16}$/.test(found)) return found;
  const made = randomBytes(8).toString("hex");
  disk.replace(file, made);
  return made;
}

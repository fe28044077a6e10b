import fs from "node:fs";
import path from "node:path";
import { childEnvironment } from "../agents/environment.ts";
import { type Clock, pause } from "../ground/clock.ts";
import { makeOwnFolder } from "../ground/own-folder.ts";
import { identify } from "../ground/process-identity.ts";
import { messageOf } from "../ground/thrown.ts";
import { isAlive, readHolder } from "../hall/lock-holder.ts";
import type { Roster } from "../hall/roster.ts";
import { connectSocket } from "../wire/tcp.ts";
import type { Transport } from "../wire/transport.ts";
import { addressIn } from "./find-hall.ts";
import { HallLog } from "./hall-log.ts";
import { hallProgram } from "./hall-program.ts";
import { startOrphan } from "./orphan.ts";
import { NoHall } from "./usage.ts";

/** A hall that was started for an editor ends when nobody needed it for so long. */
const IDLE = "8h";
const LOOK_EVERY_MS = 20;
/** A machine that is busy enough to need longer has other worries. */
const START_WITHIN_MS = 30_000;

/**
 * Starts a hall for this roster that outlives us, our terminal and our editor. Of the environment it gets what any
 * agent gets, so that it is the same hall whichever editor came first. Rejects with NoHall.
 *
 * Others may be starting one at this moment. The lock of the state directory decides who runs; everybody, its
 * starter too, connects to whoever answers there. Where one is just stopping, the next is started behind it.
 */
export async function startHall(roster: Roster, clock: Clock, env = process.env): Promise<Transport> {
  const state = ownFolder(roster.state);
  const log = HallLog.open(path.join(state, "hall.log"));
  try {
    const deadline = clock.monotonic() + START_WITHIN_MS;
    for (;;) {
      const hall = await spawnHall(roster, log, env);
      let wasHeld = false;
      while (isRunning(hall) || (await isHeld(state, clock))) {
        wasHeld = !isRunning(hall);
        const transport = await connectIn(state);
        if (transport) return transport;
        if (clock.monotonic() > deadline) throw new NoHall(tooSlow(log));
        await pause(clock, LOOK_EVERY_MS);
      }
      if (!wasHeld) throw new NoHall(failedToStart(log));
    }
  } finally {
    log.close();
  }
}

/** Answers its pid. */
async function spawnHall(roster: Roster, log: HallLog, env: NodeJS.ProcessEnv): Promise<number> {
  try {
    return await startOrphan({
      program: process.execPath,
      args: [hallProgram(), "serve", "--config", roster.file, "--exit-when-idle", IDLE, "--json"],
      cwd: roster.folder,
      env: childEnvironment({ host: env }),
      log: log.fd,
    });
  } catch (error) {
    throw new NoHall(`No hall runs, and none can be started: ${messageOf(error)}.`);
  }
}

const isRunning = (pid: number): boolean => identify(pid) !== undefined;

/** A link to the folder is a name as good as any. */
function ownFolder(named: string): string {
  const folder = fs.existsSync(named) ? fs.realpathSync(named) : named;
  makeOwnFolder(folder);
  return folder;
}

/** A connection to the hall that holds this state directory; undefined: none answers there. */
export async function connectIn(state: string): Promise<Transport | undefined> {
  const address = addressIn(state);
  try {
    return address && (await connectSocket(address));
  } catch {
    // Not yet, or not any more: its lock tells which.
    return undefined;
  }
}

async function isHeld(state: string, clock: Clock): Promise<boolean> {
  const holder = readHolder(path.join(state, "lock"));
  return holder !== undefined && (await isAlive(holder, clock));
}

function failedToStart(log: HallLog): string {
  const said = log.complaint();
  const why = said === undefined ? "" : ` It said: ${said}`;
  return `No hall runs, and the one that was started ended at once; its log is ${log.file}.${why}`;
}

const tooSlow = (log: HallLog): string =>
  `No hall ran, and the one that was started does not answer within ${START_WITHIN_MS / 1000} s; its log is ${log.file}.`;

import { readdirSync, readlinkSync } from "node:fs";
import { readConnectionRows } from "../../server/connection-rows.ts";

/** As /proc/net/tcp writes it. */
const LISTENING = "0A";

/** Linux: the process that listens on a port, if it is one that we may look into. Undefined: nobody knows. */
export function listenerOn(port: number, proc = "/proc"): number | undefined {
  const inodes = rowsIn(proc)
    .filter(({ state, local }) => state === LISTENING && local.port === port)
    .map(({ inode }) => `socket:[${inode}]`);
  if (inodes.length === 0) return undefined;
  const pids = readdirSync(proc).filter((name) => /^\d+$/.test(name));
  return pids.map(Number).find((pid) => filesOf(proc, pid).some((file) => inodes.includes(file)));
}

function rowsIn(proc: string): ReturnType<typeof readConnectionRows> {
  try {
    return readConnectionRows(proc);
  } catch {
    // Not to be seen: then nobody knows.
    return [];
  }
}

/** What each open file of a process is; none where it is another user's, or ended while we looked. */
function filesOf(proc: string, pid: number): string[] {
  const folder = `${proc}/${pid}/fd`;
  try {
    return readdirSync(folder).flatMap((fd) => linkAt(`${folder}/${fd}`) ?? []);
  } catch {
    return [];
  }
}

function linkAt(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    // Closed in between.
    return undefined;
  }
}

import { readFileSync } from "node:fs";
import {
  type ConnectionRow,
  type Endpoint,
  endpoint,
  isSameEndpoint,
  readConnectionRows,
} from "./connection-rows.ts";

/** A connection's two ends, as an accepted socket knows them. */
export interface Ends {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
}

export interface SameUserOptions {
  /** Where /proc is. */
  readonly proc?: string;
  /** Whose connections count: this process's user, unless told otherwise. */
  readonly uid?: number | undefined;
  /** How the kernel's list is read. */
  readonly read?: (proc: string) => ConnectionRow[];
}

const ESTABLISHED = "01";
/** The kernel lists its connections piece by piece: among many that come and go, one look can miss a row. */
const LOOKS = 3;

/**
 * Whether the process at the other end of a TCP connection is this user's, as the kernel has it: the row of the
 * *client's* end is there exactly once, established, with a socket (inode) that somebody still has, of our uid.
 * Everything else proves nothing. A socket that was closed is listed with uid 0 and no inode, so a stranger who
 * writes and closes at once must not pass for root; another network namespace has no row here; another system
 * has no such list.
 *
 * Ask at accept, before a byte is read. It is synchronous: the kernel takes a few milliseconds for its list.
 */
export function isSameUser(ends: Ends, options: SameUserOptions = {}): boolean {
  const { proc = "/proc", uid = process.geteuid?.(), read = readConnectionRows } = options;
  const client = endpoint(ends.remoteAddress, ends.remotePort);
  const ours = endpoint(ends.localAddress, ends.localPort);
  if (!client || !ours || uid === undefined || uid === overflowUid(proc)) return false;
  for (let look = 0; look < LOOKS; look++) if (isProven(rowsOf(proc, read), client, ours, uid)) return true;
  return false;
}

function isProven(table: ConnectionRow[], client: Endpoint, ours: Endpoint, uid: number): boolean {
  const rows = table.filter(
    ({ local, remote }) => isSameEndpoint(local, client) && isSameEndpoint(remote, ours),
  );
  const [row] = rows;
  if (!row || rows.length !== 1) return false;
  return row.state === ESTABLISHED && row.inode !== 0 && row.uid === uid;
}

function rowsOf(proc: string, read: (proc: string) => ConnectionRow[]): ConnectionRow[] {
  try {
    return read(proc);
  } catch {
    // What cannot be read proves nothing, which is the answer that no row gives.
    return [];
  }
}

/** The uid under which every user is shown that a user namespace does not know: it stands for nobody. */
function overflowUid(proc: string): number {
  try {
    return Number(readFileSync(`${proc}/sys/kernel/overflowuid`, "latin1"));
  } catch {
    return 65_534;
  }
}

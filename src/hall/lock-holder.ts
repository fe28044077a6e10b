import fs from "node:fs";
import { isFields } from "../acp/checks.ts";
import type { Clock } from "../ground/clock.ts";
import { isProcessIdentity, type ProcessIdentity, standing } from "../ground/process-identity.ts";
import { codeOf } from "../ground/thrown.ts";
import { connectSocket } from "../wire/tcp.ts";

/** Who holds a state directory. */
export interface Holder extends ProcessIdentity {
  /** Tells this holding from every other, of the same process too. Lower-case hex. */
  readonly key: string;
  readonly version: string;
  /** ISO 8601. */
  readonly since: string;
  /** The UNIX socket on which it answers once it is up. */
  readonly socket: string;
}

/** From the lock to the first answer on the socket: a start that takes longer than this is no start. */
const STARTING_MS = 60_000;

/** Undefined: no such file. */
export function readHolder(file: string): Holder | undefined {
  let fd: number;
  try {
    fd = fs.openSync(file, "r");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  try {
    return parse(fs.readFileSync(fd, "utf8")) ?? unreadable(fs.fstatSync(fd).ino);
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * Whether a holder still lives. Where its pid means nothing to us (two containers with one volume, one about to
 * replace the other), its socket has to answer, which is the same file for both; until it can be expected to,
 * the holder has the benefit of the doubt.
 */
export async function isAlive(holder: Holder, clock: Clock): Promise<boolean> {
  const found = standing(holder);
  if (found !== "elsewhere") return found === "running";
  return clock.now() - Date.parse(holder.since) < STARTING_MS || answers(holder.socket);
}

function parse(text: string): Holder | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isHolder(value) ? value : undefined;
}

function isHolder(value: unknown): value is Holder {
  if (!isFields(value) || !isProcessIdentity(value)) return false;
  const { key, version, since, socket } = value;
  const isKey = typeof key === "string" && /^[0-9a-f]+$/.test(key);
  return isKey && typeof version === "string" && typeof since === "string" && typeof socket === "string";
}

const UNREADABLE = "unreadable.";

/** Its file is being written, or, under a name that counts, was cut by a crash of the machine. */
export const isUnreadable = (holder: Holder): boolean => holder.key.startsWith(UNREADABLE);

/** Nobody lives behind a lock that was cut. Its inode tells it from others like it. */
const unreadable = (inode: number): Holder => ({
  key: `${UNREADABLE}${inode}`,
  pid: 0,
  startTime: "unknown",
  version: "unknown",
  since: "unknown",
  socket: "",
});

async function answers(socket: string): Promise<boolean> {
  try {
    const transport = await connectSocket({ path: socket });
    transport.destroy();
    return true;
  } catch (error) {
    const code = codeOf(error);
    // After any other failure it is still possible that somebody is there.
    return code !== "ENOENT" && code !== "ECONNREFUSED";
  }
}

import fs from "node:fs";
import path from "node:path";
import { codeOf } from "../../ground/thrown.ts";
import { type Finding, Findings } from "./finding.ts";

/** A hall's state directory, as it would be found at a start. */
export interface StateFolder {
  folder: string;
  /** Undefined: it is not there yet. */
  found: { isFolder: boolean; uid: number; mode: number } | undefined;
  /** The folder, or the one that it would be made in. */
  nearest: string;
  /** Why nothing can be written there, as the system says it; undefined: it can. */
  refusal: string | undefined;
  /** Bytes that this user may still write on its disk, and names (inodes); undefined where that is not told. */
  freeBytes: number | undefined;
  freeNames: number | undefined;
  /** This user's. */
  uid: number | undefined;
}

/** Looks, and writes nothing. */
export function stateFolder(named: string): StateFolder {
  const folder = fs.existsSync(named) ? fs.realpathSync(named) : path.resolve(named);
  const stats = fs.statSync(folder, { throwIfNoEntry: false });
  const nearest = nearestOf(folder);
  return {
    folder,
    found: stats && { isFolder: stats.isDirectory(), uid: stats.uid, mode: stats.mode },
    nearest,
    refusal: refusalAt(nearest),
    uid: process.geteuid?.(),
    ...roomAt(nearest),
  };
}

function nearestOf(folder: string): string {
  let nearest = folder;
  while (!fs.existsSync(nearest) && path.dirname(nearest) !== nearest) nearest = path.dirname(nearest);
  return nearest;
}

function refusalAt(folder: string): string | undefined {
  try {
    fs.accessSync(folder, fs.constants.W_OK | fs.constants.X_OK);
    return undefined;
  } catch (error) {
    return codeOf(error) ?? String(error);
  }
}

function roomAt(folder: string): Pick<StateFolder, "freeBytes" | "freeNames"> {
  try {
    const { bavail, bsize, files, ffree } = fs.statfsSync(folder);
    // Some file systems make names as they need them, and count none.
    return { freeBytes: bavail * bsize, freeNames: files === 0 ? undefined : ffree };
  } catch {
    return { freeBytes: undefined, freeNames: undefined };
  }
}

const OTHERS = 0o077;
const MIB = 2 ** 20;
/** Less than a day of work; and less than one busy turn may write. */
const LITTLE_BYTES = 1024 * MIB;
const NO_BYTES = 64 * MIB;
const FEW_NAMES = 1000;

export const stateFindings = (state: StateFolder): Finding[] => [
  ...folderFindings(state),
  ...roomFindings(state),
];

function folderFindings({ folder, found, nearest, refusal, uid }: StateFolder): Finding[] {
  const findings = new Findings("state", folder);
  if (found && !found.isFolder)
    return findings.fault(
      `The state directory ${folder} is no folder.`,
      "Name another as state in the roster.",
    ).all;
  if (found && uid !== undefined && found.uid !== uid)
    return findings.fault(
      `The state directory ${folder} belongs to another user (uid ${found.uid}).`,
      `sudo chown -R "$(id -un)" ${folder}, or name another as state in the roster.`,
    ).all;
  if (refusal !== undefined) {
    const what = found ? folder : `${nearest}, where ${folder} would be made,`;
    return findings.fault(
      `${what} cannot be written (${refusal}).`,
      refusal === "EROFS"
        ? "Name one that can be written, as state in the roster."
        : `chmod u+rwx ${nearest}, or name another as state in the roster.`,
    ).all;
  }
  if (found && (found.mode & OTHERS) !== 0)
    findings.warning(
      `Other users may enter the state directory ${folder}, so its hall is not found by other commands; a start tightens it.`,
      `chmod 700 ${folder}`,
    );
  return findings.elseOk(
    found ? `${folder} is this user's alone` : `${folder} will be made at the first start`,
  ).all;
}

function roomFindings({ nearest, freeBytes, freeNames }: StateFolder): Finding[] {
  const findings = new Findings("disk", nearest);
  if (freeBytes === undefined) return [];
  const told = `${Math.floor(freeBytes / MIB)} MiB`;
  const clean = `Free space there; hall sessions list and hall sessions delete ID take away what is no longer needed.`;
  if (freeBytes < NO_BYTES)
    findings.fault(
      `The disk of ${nearest} has ${told} left: turns fail when their journal cannot be written.`,
      clean,
    );
  else if (freeBytes < LITTLE_BYTES) findings.warning(`The disk of ${nearest} has only ${told} left.`, clean);
  if (freeNames !== undefined && freeNames < FEW_NAMES)
    findings.fault(`The disk of ${nearest} has room for only ${freeNames} more files.`, clean);
  return findings.elseOk(`${told} free for the state directory`).all;
}

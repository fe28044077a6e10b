import { isUtf8 } from "node:buffer";
import fs from "node:fs";
import { codeOf } from "../../ground/thrown.ts";
import { type Fault, RosterError } from "./fault.ts";

/** A roster of a hundred slots has some ten thousand bytes. */
const MOST_BYTES = 1_048_576;

const OTHERS_MAY_WRITE = 0o022;
const ROOT = 0;

/** Whose a file is, as `fs.Stats` says it. */
export interface Ownership {
  uid: number;
  mode: number;
}

/**
 * Why a roster is not to be trusted: it names programs that will run as the hall's user, so whoever may write it is
 * that user. What is root's is taken: root needs no roster. `uid` is the hall's; undefined where there are none.
 */
export function trustFault(file: Ownership, uid: number | undefined): string | undefined {
  if (uid === undefined) return undefined;
  if (file.uid !== uid && file.uid !== ROOT) {
    return "another user owns this file, and a roster runs programs; make it yours with chown, or copy it";
  }
  if ((file.mode & OTHERS_MAY_WRITE) !== 0) {
    return "other users may write this file, and a roster runs programs; take that away with chmod go-w";
  }
  return undefined;
}

/** The text of a roster that may be trusted. Throws RosterError. */
export function readRosterFile(file: string): string {
  const bytes = trustedBytes(file);
  if (isUtf8(bytes)) return bytes.toString("utf8");
  throw refuse(file, "the file is not text in UTF-8; save it as that", {
    line: firstBadLine(bytes),
    column: 1,
  });
}

/** All is asked of one open file, so that no other can be put in its place in between. */
function trustedBytes(file: string): Buffer {
  const fd = open(file);
  try {
    const stats = fs.fstatSync(fd);
    if (!stats.isFile()) throw refuse(file, "this is not a file; name the roster itself");
    const fault = trustFault(stats, process.getuid?.());
    if (fault !== undefined) throw refuse(file, fault);
    if (stats.size > MOST_BYTES) throw refuse(file, "the file is larger than 1 MiB; a roster is not");
    return fs.readFileSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function open(file: string): number {
  try {
    // Not blocking: opening a named pipe would wait for its writer.
    return fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    if (code === "ENOENT") throw refuse(file, "there is no such file; hall init writes one");
    if (code === "EACCES")
      throw refuse(file, "this user may not read the file; change that with chmod or chown");
    throw refuse(file, `the file cannot be opened (${code}); see whether the path is right`);
  }
}

function firstBadLine(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline;
    if (!isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
  }
  return line;
}

const refuse = (file: string, message: string, at: Pick<Fault, "line" | "column"> = {}): RosterError =>
  new RosterError([{ file, ...at, path: "", message }]);

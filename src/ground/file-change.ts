import fs from "node:fs";
import { messageOf } from "./thrown.ts";

/** `FILE.new`, by which a file is changed, could not be made; `cause` says why (`EEXIST`: another changes it). */
export class NotClaimed extends Error {
  readonly fresh: string;

  constructor(fresh: string, cause: unknown) {
    super(`${fresh} cannot be made (${messageOf(cause)})`, { cause });
    this.name = "NotClaimed";
    this.fresh = fresh;
  }
}

/**
 * Replaces a file by what `text` answers: whoever reads it meanwhile has the old one or the new one, whole. Of two who do
 * so at once the second gets NotClaimed, before its `text` is asked. `owner`: whose it is to be, if not this user's.
 */
export function changeFile(
  file: string,
  { mode, owner }: { mode: number; owner?: { uid: number; gid: number } },
  text: () => string,
): void {
  const fresh = `${file}.new`;
  const fd = claim(fresh, mode);
  try {
    fs.writeFileSync(fd, text());
    fs.fchmodSync(fd, mode);
    if (owner) fs.fchownSync(fd, owner.uid, owner.gid);
    fs.fsyncSync(fd);
    fs.renameSync(fresh, file);
  } catch (error) {
    fs.rmSync(fresh, { force: true });
    throw error;
  } finally {
    fs.closeSync(fd);
  }
}

function claim(fresh: string, mode: number): number {
  try {
    return fs.openSync(fresh, "wx", mode);
  } catch (error) {
    throw new NotClaimed(fresh, error);
  }
}

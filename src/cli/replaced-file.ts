import fs from "node:fs";
import { codeOf, messageOf } from "../ground/thrown.ts";

/**
 * Replaces a file as a whole, with the mode and owner that it had: whoever reads it meanwhile has the old one or the new one.
 * Throws a sentence when it cannot.
 */
export function replaceFile(file: string, text: string): void {
  const { mode, uid, gid } = fs.statSync(file);
  const fresh = `${file}.new`;
  let fd: number;
  try {
    fd = fs.openSync(fresh, "wx", mode & 0o777);
  } catch (error) {
    const why = codeOf(error) === "EEXIST" ? "another is changing it" : messageOf(error);
    throw new Error(`${file} cannot be changed: ${why} (${fresh}).`, { cause: error });
  }
  try {
    fs.writeFileSync(fd, text);
    fs.fchmodSync(fd, mode & 0o777);
    if (uid !== process.geteuid?.()) fs.fchownSync(fd, uid, gid);
    fs.fsyncSync(fd);
    fs.renameSync(fresh, file);
  } catch (error) {
    fs.rmSync(fresh, { force: true });
    throw error;
  } finally {
    fs.closeSync(fd);
  }
}

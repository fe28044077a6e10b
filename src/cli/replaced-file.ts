import fs from "node:fs";
import { changeFile, NotClaimed } from "../ground/file-change.ts";
import { codeOf, messageOf } from "../ground/thrown.ts";

/**
 * Replaces a file as a whole by what `text` answers, with the mode and owner that it had. `text` is asked when nobody else
 * can change it. Throws a sentence when it cannot, and what `text` throws.
 */
export function replaceFile(file: string, text: () => string): void {
  const { mode, uid, gid } = fs.statSync(file);
  const isOurs = uid === process.geteuid?.();
  try {
    changeFile(file, { mode: mode & 0o777, ...(isOurs ? {} : { owner: { uid, gid } }) }, text);
  } catch (error) {
    if (!(error instanceof NotClaimed)) throw error;
    const why = codeOf(error.cause) === "EEXIST" ? "another is changing it" : messageOf(error.cause);
    throw new Error(`${file} cannot be changed: ${why} (${error.fresh}).`, { cause: error });
  }
}

import fs from "node:fs";
import path from "node:path";
import { codeOf } from "../ground/thrown.ts";

/** More links than any file lies behind, as the kernel counts them. */
const MOST_LINKS = 40;

/**
 * What a path leads to: absolute, without links, `.` or `..`; of what does not exist yet, where it would be made.
 * Undefined when that cannot be found out. A `..` behind a link goes up from where the link leads, as in the kernel.
 */
export function canonicalPath(file: string): string | undefined {
  try {
    return follow(file, 0);
  } catch {
    // A loop, or a folder that may not be looked into: whoever asks treats it as unknown.
    return undefined;
  }
}

function follow(file: string, links: number): string {
  const parent = path.dirname(file);
  try {
    return fs.realpathSync.native(file);
  } catch (error) {
    const isMissing = codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";
    if (!isMissing || parent === file || links > MOST_LINKS) throw error;
  }
  const target = linkTarget(file);
  if (target === undefined) return path.join(follow(parent, links + 1), path.basename(file));
  return follow(path.isAbsolute(target) ? target : `${parent}/${target}`, links + 1);
}

function linkTarget(file: string): string | undefined {
  const found = fs.lstatSync(file, { throwIfNoEntry: false });
  return found?.isSymbolicLink() ? fs.readlinkSync(file) : undefined;
}

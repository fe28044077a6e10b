import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { codeOf } from "../ground/thrown.ts";

/**
 * One sentence on why a process cannot start in `folder`, or undefined. Asked before the spawn: the system would
 * say ENOENT, as it does for a missing program.
 *
 * @param from who named the folder ("the client", "cwd of slot claude"), for the message
 */
export function folderProblem(folder: string, from: string): string | undefined {
  const told = `The working folder ${JSON.stringify(folder)} (from ${from})`;
  if (!isAbsolute(folder)) return `${told} is not an absolute path; write it from the root.`;
  try {
    if (!statSync(folder).isDirectory()) return `${told} is not a folder; name one.`;
    accessSync(folder, constants.X_OK);
    return undefined;
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return `${told} does not exist; create it, or name another.`;
    if (code === "ENOTDIR") return `${told} leads through something that is no folder; correct it.`;
    if (code === "EACCES") return `${told} may not be entered by the hall's user; change its permissions.`;
    return `${told} cannot be used: ${String(error)}.`;
  }
}

import fs from "node:fs";
import { codeOf } from "./thrown.ts";

/**
 * Makes a folder that nobody but this user can enter (0700), with its parents, or makes sure that the one that
 * is there is such a folder: ours, no link to elsewhere; a wider mode is tightened. Throws a sentence when the
 * folder is another user's or no folder at all: what lies there could have been put there to meet us.
 */
export function makeOwnFolder(path: string): void {
  // Checked and changed through one open file: the name cannot come to mean another folder in between.
  const folder = openOrMake(path);
  try {
    const { uid, mode } = fs.fstatSync(folder);
    const us = process.geteuid?.() ?? uid;
    if (uid !== us) {
      throw new Error(`The folder ${path} belongs to another user (uid ${uid}): name one that is yours.`);
    }
    if ((mode & 0o777) !== 0o700) fs.fchmodSync(folder, 0o700);
  } finally {
    fs.closeSync(folder);
  }
}

/** Whether a folder is there that is this user's alone. One that cannot even be looked at is not. */
export function isOwnFolder(path: string): boolean {
  let found: fs.Stats;
  try {
    found = fs.lstatSync(path);
  } catch {
    return false;
  }
  const isOurs = found.uid === (process.geteuid?.() ?? found.uid);
  return found.isDirectory() && isOurs && (found.mode & 0o077) === 0;
}

function openOrMake(path: string): number {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = fs.constants;
  try {
    fs.mkdirSync(path, { recursive: true, mode: 0o700 });
    return fs.openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (cause) {
    throw new Error(`The folder ${path} cannot be used (${codeOf(cause)}): name one that is yours.`, {
      cause,
    });
  }
}

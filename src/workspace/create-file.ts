import fs, { type FileHandle } from "node:fs/promises";
import path from "node:path";
import { codeOf } from "../ground/thrown.ts";
import { createIn, inFolder, openFolder } from "./file-handle.ts";
import type { Roots } from "./roots.ts";

/**
 * Creates a file that is not there, with the folders on its way. Each folder is held open while the next thing is
 * made in it, so that a link put in its place cannot lead anything out. `place` and rejections: as `openFile`.
 */
export async function createFile(roots: Roots, place: string, name: string): Promise<FileHandle> {
  const file = path.basename(place);
  let at = await existingFolder(path.dirname(place));
  const missing = path.relative(at, path.dirname(place)).split(path.sep).filter(Boolean);
  let folder = await openFolder(roots, at, name);
  try {
    for (const next of missing) {
      const inside = inFolder(folder, at, next);
      await fs.mkdir(inside).catch(unlessThere);
      const child = await openFolder(roots, inside, name);
      await folder.close();
      folder = child;
      at = path.join(at, next);
    }
    return await createIn(folder, at, file);
  } finally {
    await folder.close();
  }
}

/** The nearest folder on the way that is there. */
async function existingFolder(folder: string): Promise<string> {
  try {
    await fs.lstat(folder);
    return folder;
  } catch (error) {
    const parent = path.dirname(folder);
    if (codeOf(error) !== "ENOENT" || parent === folder) throw error;
    return existingFolder(parent);
  }
}

function unlessThere(error: unknown): void {
  if (codeOf(error) !== "EEXIST") throw error;
}

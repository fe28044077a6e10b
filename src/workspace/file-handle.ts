import { constants } from "node:fs";
import fs, { type FileHandle } from "node:fs/promises";
import { invalidParams } from "../acp/errors.ts";
import type { Roots } from "./roots.ts";

/**
 * Opens a regular file that exists. `place`: canonical, as `roots.resolve` answered; `name`: what the agent calls
 * it. Rejects with Node's own error, or an RpcError.
 */
export async function openFile(
  roots: Roots,
  place: string,
  name: string,
  access: "read" | "write",
): Promise<FileHandle> {
  // Looked at before it is opened: opening alone can make a device do something.
  if (!(await fs.lstat(place)).isFile()) throw noRegularFile(name);
  const mode = access === "read" ? constants.O_RDONLY : constants.O_WRONLY;
  const file = await fs.open(place, mode | UNMOVED);
  return orClosed(file, async () => {
    const stats = await file.stat();
    if (!stats.isFile()) throw noRegularFile(name);
    await roots.admitFile(stats, name);
    await admitOpen(file, roots, place, name);
  });
}

/** Opens a folder that exists, for `inFolder`. As `openFile`. */
export async function openFolder(roots: Roots, place: string, name: string): Promise<FileHandle> {
  const folder = await fs.open(place, constants.O_RDONLY | constants.O_DIRECTORY | UNMOVED);
  return orClosed(folder, () => admitOpen(folder, roots, place, name));
}

/** The path of something in an open folder: in this very folder, whatever its name has come to mean since. */
export const inFolder = (folder: FileHandle, place: string, name: string): string =>
  isLinux ? `/proc/self/fd/${folder.fd}/${name}` : `${place}/${name}`;

/** Creates a file, in an open folder, that is not there yet (else EEXIST). */
export const createIn = (folder: FileHandle, place: string, name: string): Promise<FileHandle> =>
  fs.open(
    inFolder(folder, place, name),
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | UNMOVED,
    0o666,
  );

const isLinux = process.platform === "linux";

/** Follows no link that was put there since the path was resolved, and waits for nobody, as a FIFO would. */
const UNMOVED = constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

const noRegularFile = (name: string) =>
  invalidParams(`The path ${name} names no regular file (a folder, a device, a socket or a pipe).`, {
    path: name,
  });

/** A folder on the way may have become a link between look and opening: so what is open is judged once more. */
async function admitOpen(handle: FileHandle, roots: Roots, place: string, name: string): Promise<void> {
  if (isLinux) {
    await roots.admit(await fs.readlink(`/proc/self/fd/${handle.fd}`), name);
    return;
  }
  // Where the system does not say where an open file is, its name must still lead to it.
  const [now, opened] = [await fs.stat(await roots.resolve(place)), await handle.stat()];
  if (now.dev !== opened.dev || now.ino !== opened.ino) {
    throw invalidParams(`The path ${name} was led elsewhere while it was opened; try again.`, { path: name });
  }
}

async function orClosed(handle: FileHandle, check: () => Promise<void>): Promise<FileHandle> {
  try {
    await check();
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

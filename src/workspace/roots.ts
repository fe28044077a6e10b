import fs from "node:fs";
import path from "node:path";
import { invalidParams, type RpcError } from "../acp/errors.ts";
import { codeOf } from "../ground/thrown.ts";
import { fileError } from "./file-error.ts";

/** Holds the hall's own memory and environment, whatever the roots are. */
const KERNEL_FOLDERS = ["/proc"];

/**
 * Where in the file system a session may have files read and written, and commands started: inside its cwd and its
 * additional directories, by canonical paths, so that no link leads out; and nowhere in what is the hall's own
 * (its state directory, the roster, the tokens file), by whatever name.
 */
export class Roots {
  readonly #cwd: string;
  readonly #folders: readonly string[];
  readonly #forbidden: readonly string[];

  /**
   * All paths absolute. The folders are taken as they are now: one that is later replaced by a link to elsewhere
   * admits nothing. What is forbidden is looked up anew each time, as a link to it can be led elsewhere.
   * Throws Node's own error when a folder cannot be looked up.
   */
  constructor(cwd: string, additionalDirectories: readonly string[], forbidden: readonly string[]) {
    this.#folders = [cwd, ...additionalDirectories].map(canonicalNow);
    this.#cwd = this.#folders[0] ?? cwd;
    this.#forbidden = [...forbidden, ...KERNEL_FOLDERS];
  }

  /** The session's own folder, canonical. */
  get cwd(): string {
    return this.#cwd;
  }

  /**
   * A path's canonical form; of one that does not exist yet, that of what does, and the rest as it is written.
   * Rejects with an RpcError: not absolute, outside, forbidden, or a link that leads nowhere.
   */
  async resolve(file: string): Promise<string> {
    if (!path.isAbsolute(file)) throw invalidParams(`The path ${file} must be absolute.`, { path: file });
    try {
      const place = await canonical(path.resolve(file));
      await this.admit(place, file);
      return place;
    } catch (error) {
      throw fileError(file, error);
    }
  }

  /** Rejects unless a canonical path is one that the session may use. `name`: what the agent calls it. */
  async admit(place: string, name: string): Promise<void> {
    if (!this.#folders.some((folder) => isInside(folder, place))) throw outside(name);
    for (const own of this.#forbidden) {
      if (isInside(own, place) || isInside(await canonical(own), place)) throw hallsOwn(name);
    }
  }

  /** Rejects when an open file is one of the forbidden, by another name (a hard link, another case). */
  async admitFile({ dev, ino }: fs.Stats, name: string): Promise<void> {
    for (const own of this.#forbidden) {
      const found = await fs.promises.stat(own).catch(noFile);
      if (found?.dev === dev && found.ino === ino) throw hallsOwn(name);
    }
  }
}

const outside = (name: string): RpcError =>
  invalidParams(`The path ${name} leads outside the session's folders: its cwd and additional directories.`, {
    path: name,
  });

const hallsOwn = (name: string): RpcError =>
  invalidParams(`The path ${name} belongs to the hall itself, which no agent may use.`, { path: name });

const isInside = (folder: string, place: string): boolean =>
  place === folder || place.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);

/** Whether a path is one of these folders or in one, by canonical paths: no link and no `..` leads out. */
export function isWithin(folders: readonly string[], place: string): boolean {
  const canonicalPlace = canonicalNow(path.resolve(place));
  return folders.some((folder) => isInside(canonicalNow(folder), canonicalPlace));
}

const isMissing = (error: unknown): boolean => codeOf(error) === "ENOENT";

function noFile(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

async function canonical(file: string): Promise<string> {
  try {
    return await fs.promises.realpath(file);
  } catch (error) {
    const parent = path.dirname(file);
    if (!isMissing(error) || parent === file) throw error;
    // It is not there, or it is a link to what is not there: that would be created where the link leads.
    const link = await fs.promises.lstat(file).catch(noFile);
    if (link) throw Object.assign(new Error(`${file} is a dangling link`), { code: "ELOOP" });
    return path.join(await canonical(parent), path.basename(file));
  }
}

function canonicalNow(folder: string): string {
  const parent = path.dirname(folder);
  try {
    return fs.realpathSync(folder);
  } catch (error) {
    if (!isMissing(error) || parent === folder) throw error;
    return path.join(canonicalNow(parent), path.basename(folder));
  }
}

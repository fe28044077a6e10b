import type { FileHandle } from "node:fs/promises";
import { absolutePath, type Fields, fieldsOf, requiredString } from "../acp/checks.ts";
import { invalidParams } from "../acp/errors.ts";
import { codeOf } from "../ground/thrown.ts";
import { createFile } from "./create-file.ts";
import { fileError } from "./file-error.ts";
import { openFile } from "./file-handle.ts";
import { readLines } from "./read-lines.ts";
import type { Roots } from "./roots.ts";

/** How often a write looks for the file again that came or went while it was opened. */
const ATTEMPTS = 3;

/**
 * ACP's `fs/*` for one session, on the hall's machine. One call runs after another, in the order in which they
 * came: a read sees the write that was sent before it, and two writes never mix. All rejections are RpcErrors.
 */
export class Files {
  readonly #roots: Roots;
  #last: Promise<unknown> = Promise.resolve();

  constructor(roots: Roots) {
    this.#roots = roots;
  }

  /** `fs/read_text_file`: the text, or `limit` lines of it from `line` (1 is the first) on, with their line ends. */
  async readTextFile(params: unknown): Promise<{ content: string }> {
    const fields = fieldsOf(params);
    const path = absolutePath(fields, "path");
    const line = optionalCount(fields, "line", 1) ?? 1;
    const limit = optionalCount(fields, "limit", 0);
    return this.#inTurn(path, async () => {
      const file = await openFile(this.#roots, await this.#roots.resolve(path), path, "read");
      return closing(file, async () => ({ content: await readLines(file, path, line, limit) }));
    });
  }

  /** `fs/write_text_file`: the file's whole new text. The file, and its folders, are made when they are not there. */
  async writeTextFile(params: unknown): Promise<Record<string, never>> {
    const fields = fieldsOf(params);
    const path = absolutePath(fields, "path");
    const content = requiredString(fields, "content");
    return this.#inTurn(path, async () => {
      const file = await this.#openForWriting(path);
      await closing(file, async () => {
        await file.truncate(0);
        await file.writeFile(content);
      });
      return {};
    });
  }

  async #openForWriting(path: string): Promise<FileHandle> {
    for (let attempt = 1; ; attempt++) {
      const place = await this.#roots.resolve(path);
      try {
        return await openFile(this.#roots, place, path, "write");
      } catch (error) {
        if (codeOf(error) !== "ENOENT") throw error;
      }
      try {
        return await createFile(this.#roots, place, path);
      } catch (error) {
        // Somebody else made it first: then it is one that exists.
        if (codeOf(error) !== "EEXIST" || attempt === ATTEMPTS) throw error;
      }
    }
  }

  #inTurn<T>(path: string, work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    // Only the order is kept: what went wrong is the answer of the call that it happened to.
    this.#last = done.catch(() => {});
    return done.catch((error: unknown) => {
      throw fileError(path, error);
    });
  }
}

/** An integer from `least` on; missing or null is none. */
function optionalCount(fields: Fields, name: string, least: number): number | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= least) return value;
  throw invalidParams(`"${name}" must be an integer from ${least} on.`, { field: name });
}

async function closing<T>(file: FileHandle, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await file.close();
  }
}

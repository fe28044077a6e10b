import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { realDisk } from "../../ground/disk.ts";
import { makeOwnFolder } from "../../ground/own-folder.ts";
import { isKept } from "./line-editor.ts";

/** What is kept: the newest. */
const ENTRIES = 1_000;
const BYTES = 512 * 1024;

/**
 * What one user typed into chats, for the arrow keys of later ones: a file of this user's alone, one JSON string a
 * line, the newest last. Several chats write to it, each only at its end.
 */
export class PromptHistory {
  readonly #file: string;

  constructor(folder: string) {
    this.#file = path.join(folder, "chat-history");
  }

  /** The newest first, each text once. What cannot be read is none; what is too much is let go of. */
  read(): string[] {
    const bytes = realDisk.read(this.#file) ?? Buffer.alloc(0);
    const entries = [...new Set(bytes.toString().split("\n").flatMap(entryIn).reverse())];
    const kept = newest(entries);
    if (kept.length < entries.length || bytes.length > 2 * BYTES) realDisk.replace(this.#file, linesOf(kept));
    return kept;
  }

  /** Throws a sentence, or what Node says. */
  add(text: string): void {
    if (!isKept(text)) return;
    makeOwnFolder(path.dirname(this.#file));
    fs.appendFileSync(this.#file, linesOf([text]), { mode: 0o600 });
  }
}

/** Of these, the newest first, as many as are kept. */
function newest(entries: readonly string[]): string[] {
  let room = BYTES;
  return entries.slice(0, ENTRIES).filter((entry) => {
    room -= Buffer.byteLength(entry);
    return room >= 0;
  });
}

const linesOf = (entries: readonly string[]): string =>
  entries
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .reverse()
    .join("");

/** Where what one user did with programs is kept (XDG Base Directory). */
export function stateHome(env: NodeJS.ProcessEnv): string {
  const { XDG_STATE_HOME: home, HOME = os.homedir() } = env;
  const chosen = home !== undefined && path.isAbsolute(home) ? home : path.join(HOME, ".local", "state");
  return path.join(chosen, "hall");
}

function entryIn(line: string): string[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "string" ? [value] : [];
  } catch {
    return [];
  }
}

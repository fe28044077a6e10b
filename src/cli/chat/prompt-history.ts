import os from "node:os";
import path from "node:path";
import type { Disk } from "../../ground/disk.ts";
import { makeOwnFolder } from "../../ground/own-folder.ts";
import { isKept } from "./line-editor.ts";

/** What is kept: the newest. */
const ENTRIES = 1_000;
const BYTES = 512 * 1024;

/**
 * What one user typed into chats, for the arrow keys of later ones: a file of this user's alone, one JSON string a
 * line, the newest last.
 */
export class PromptHistory {
  readonly #disk: Disk;
  readonly #file: string;

  constructor(disk: Disk, folder: string) {
    this.#disk = disk;
    this.#file = path.join(folder, "chat-history");
  }

  /** The newest first. What cannot be read is none. */
  read(): string[] {
    const bytes = this.#disk.read(this.#file) ?? "";
    return bytes.toString().split("\n").flatMap(entryIn).reverse();
  }

  /** Other chats write here too: what they wrote meanwhile stays. Throws what the disk throws. */
  add(text: string): void {
    if (!isKept(text)) return;
    makeOwnFolder(path.dirname(this.#file));
    const newest = [text, ...this.read().filter((entry) => entry !== text)].slice(0, ENTRIES);
    let room = BYTES;
    const kept = newest
      .map((entry) => JSON.stringify(entry))
      .filter((line) => {
        room -= Buffer.byteLength(line) + 1;
        return room >= 0;
      });
    this.#disk.replace(
      this.#file,
      kept
        .reverse()
        .map((line) => `${line}\n`)
        .join(""),
    );
  }
}

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

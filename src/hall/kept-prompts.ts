import { createHash } from "node:crypto";
import path from "node:path";
import { type Fields, isFields } from "../acp/checks.ts";
import { parsed } from "../ground/json.ts";
import { journalFailed } from "./journal.ts";
import { LineFile, type LineFileParts } from "./line-file.ts";

/** A prompt as its agent is to get it. */
export interface KeptPrompt {
  readonly blocks: readonly Fields[];
  /** Fields that the hall does not know: they are for the agent. */
  readonly extras: Fields;
}

/**
 * Prompts that wait under a key, a file each in the session's `turns/`: so one can run after a restart. What
 * has started is never sent again, and needs no file any more.
 */
export class KeptPrompts {
  readonly #folder: string;
  readonly #parts: LineFileParts;
  /** Those that were written in this run of the hall. */
  readonly #files = new Map<string, LineFile>();

  constructor(sessionFolder: string, parts: LineFileParts) {
    this.#folder = path.join(sessionFolder, "turns");
    this.#parts = parts;
  }

  /** Throws `journal_failed`; then nothing of it is there. */
  keep(turn: string, prompt: KeptPrompt): void {
    const file = new LineFile(this.#place(turn), this.#parts);
    this.#files.set(turn, file);
    try {
      this.#parts.disk.makeFolder(this.#folder);
      file.append(Buffer.from(`${JSON.stringify(prompt)}\n`));
    } catch (error) {
      this.drop(turn);
      throw journalFailed(error);
    }
  }

  /** Undefined: there is none, or it cannot be read. */
  read(turn: string): KeptPrompt | undefined {
    const bytes = this.#parts.disk.read(this.#place(turn));
    const value = bytes && parsed(bytes.toString("utf8"));
    if (!isFields(value) || !Array.isArray(value.blocks) || !isFields(value.extras)) return undefined;
    return { blocks: value.blocks.filter(isFields), extras: value.extras };
  }

  /** One that stays behind is only a file too many. */
  drop(turn: string): void {
    const file = this.#files.get(turn);
    this.#files.delete(turn);
    try {
      file?.close();
      this.#parts.disk.remove(this.#place(turn));
    } catch (error) {
      this.#parts.noticed(`a prompt that waits no more could not be removed from ${this.#folder}`, error);
    }
  }

  /** What a hall left that was killed between two steps. */
  dropAllBut(turns: Iterable<string>): void {
    const kept = new Set([...turns].map((turn) => this.#place(turn)));
    for (const name of this.#parts.disk.list(this.#folder)) {
      const place = path.join(this.#folder, name);
      if (!kept.has(place)) this.#parts.disk.remove(place);
    }
  }

  sync(): void {
    for (const file of this.#files.values()) file.sync();
  }

  close(): void {
    for (const file of this.#files.values()) file.close();
    this.#files.clear();
  }

  /** A key is whatever a client chose, and never a name of a file. */
  #place(turn: string): string {
    return path.join(this.#folder, `${createHash("sha256").update(turn).digest("hex")}.json`);
  }
}

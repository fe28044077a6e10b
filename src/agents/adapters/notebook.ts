import { join } from "node:path";
import { isFields } from "../../acp/checks.ts";
import type { Disk } from "../../ground/disk.ts";

/** Sessions that are remembered; of more, the oldest are forgotten. */
const LIMIT = 10_000;

/** What programs call their sessions where that is not what the client calls them: a file of the state directory. */
export class Notebook {
  readonly #disk: Disk;
  readonly #file: string;
  #names: Map<string, string> | undefined;

  constructor(disk: Disk, folder: string) {
    this.#disk = disk;
    this.#file = join(folder, "native-sessions.json");
  }

  recall(sessionId: string): string | undefined {
    return this.#all.get(sessionId);
  }

  /** Throws Node's own error when it cannot be written. */
  remember(sessionId: string, native: string): void {
    const names = this.#all;
    names.delete(sessionId);
    names.set(sessionId, native);
    const [oldest] = names.keys();
    if (names.size > LIMIT && oldest !== undefined) names.delete(oldest);
    this.#disk.replace(this.#file, JSON.stringify(Object.fromEntries(names)));
  }

  get #all(): Map<string, string> {
    this.#names ??= this.#read();
    return this.#names;
  }

  /** A file that is damaged is no file: what it told is asked for again, or begun anew. */
  #read(): Map<string, string> {
    try {
      const value: unknown = JSON.parse(this.#disk.read(this.#file)?.toString("utf8") ?? "{}");
      const entries = isFields(value) ? Object.entries(value) : [];
      return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
    } catch {
      return new Map();
    }
  }
}

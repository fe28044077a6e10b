import { randomBytes } from "node:crypto";
import path from "node:path";
import { isFields } from "../acp/checks.ts";
import type { Disk } from "../ground/disk.ts";
import { parsed } from "../ground/json.ts";

/** What one run leaves for the next, in `epoch.json`. */
interface Remembered {
  readonly epoch: string;
  readonly boot?: string;
  readonly clean: boolean;
}

/**
 * The time in which no byte that a client may hold was lost; its name is part of each journal's name. A new one
 * begins at a start that finds no clean stop before it, and that the machine was started again since: what the
 * kernel had, and the disk had not, is gone then. A hall that was merely killed has lost nothing.
 */
export class Epoch {
  readonly name: string;
  /** The run before this one ended cleanly, or there was none. */
  readonly wasClean: boolean;
  readonly #folder: string;
  readonly #disk: Disk;
  readonly #boot: string | undefined;

  private constructor(folder: string, disk: Disk, boot: string | undefined, before: Remembered | undefined) {
    this.#folder = folder;
    this.#disk = disk;
    this.#boot = boot;
    this.wasClean = before?.clean ?? !disk.exists(path.join(folder, "sessions"));
    const isSameBoot = boot !== undefined && before?.boot === boot;
    const goesOn = before !== undefined && (this.wasClean || isSameBoot);
    this.name = goesOn ? before.epoch : randomBytes(4).toString("hex");
  }

  /** A run begins in a state directory. `boot`: the machine's (`bootId`); undefined counts as another one. */
  static begin(folder: string, disk: Disk, boot: string | undefined): Epoch {
    const epoch = new Epoch(folder, disk, boot, read(folder, disk));
    epoch.#write(false);
    return epoch;
  }

  /** The run ends, and all that it wrote is synced. */
  endCleanly(): void {
    this.#write(true);
  }

  #write(clean: boolean): void {
    const boot = this.#boot === undefined ? {} : { boot: this.#boot };
    const now: Remembered = { epoch: this.name, ...boot, clean };
    this.#disk.replace(fileIn(this.#folder), JSON.stringify(now));
    // Else a power cut brings back the older "clean".
    this.#disk.syncFolder(this.#folder);
  }
}

const fileIn = (folder: string): string => path.join(folder, "epoch.json");

/** Undefined: nothing there, or nothing that can be read. */
function read(folder: string, disk: Disk): Remembered | undefined {
  const bytes = disk.read(fileIn(folder));
  const value = bytes && parsed(bytes.toString("utf8"));
  if (!isFields(value) || typeof value.epoch !== "string" || typeof value.clean !== "boolean")
    return undefined;
  const boot = typeof value.boot === "string" ? { boot: value.boot } : {};
  return { epoch: value.epoch, ...boot, clean: value.clean };
}

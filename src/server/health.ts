import path from "node:path";
import type { Clock } from "../ground/clock.ts";
import type { Disk } from "../ground/disk.ts";

/** A look at the disk holds for so long: whoever asks a hundred times a second writes once. */
const FRESH_MS = 5_000;

export interface HealthParts {
  clock: Clock;
  disk: Disk;
  /** The state directory. */
  folder: string;
  stopping(): boolean;
  listeners(): Iterable<{ readonly isOpen: boolean }>;
}

/** Whether a hall can take work: each part of the answer by itself. */
export interface Readiness {
  ready: boolean;
  state: "writable" | "not writable";
  listeners: "open" | "closed";
  stopping: boolean;
}

/** Says whether to send anybody here. */
export class Health {
  readonly #parts: HealthParts;
  #looked: { at: number; writable: boolean } | undefined;

  constructor(parts: HealthParts) {
    this.#parts = parts;
  }

  get readiness(): Readiness {
    const { listeners, stopping } = this.#parts;
    const isWritable = this.#isWritable;
    const areOpen = [...listeners()].every(({ isOpen }) => isOpen);
    const isStopping = stopping();
    return {
      ready: isWritable && areOpen && !isStopping,
      state: isWritable ? "writable" : "not writable",
      listeners: areOpen ? "open" : "closed",
      stopping: isStopping,
    };
  }

  get #isWritable(): boolean {
    const { clock, disk, folder } = this.#parts;
    const now = clock.monotonic();
    if (this.#looked && now - this.#looked.at < FRESH_MS) return this.#looked.writable;
    let writable = true;
    try {
      disk.replace(path.join(folder, "probe"), "");
    } catch {
      // That it cannot be written is the answer.
      writable = false;
    }
    this.#looked = { at: now, writable };
    return writable;
  }
}

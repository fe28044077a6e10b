import type { Cancel, Clock } from "../ground/clock.ts";

export interface FileWatchParts {
  clock: Clock;
  /** What is there, in one string: see `fileStamp`. */
  stamp(): string;
  /** It is another than it was, and has stayed so for a moment. */
  changed(): void;
}

/** How often it is looked, in milliseconds. What two looks find alike is taken for written to its end. */
const LOOK_MS = 500;

/**
 * Looks again and again whether files have changed. Asking for their state sees what notifications of the system do
 * not: a file behind a link that now leads elsewhere, on a network's disk, or in a container's mount.
 */
export class FileWatch {
  readonly #parts: FileWatchParts;
  #known = "";
  #seen = "";
  #stop: Cancel | undefined;

  constructor(parts: FileWatchParts) {
    this.#parts = parts;
  }

  /** Looks from now on. Again: goes on. */
  start(): void {
    this.#stop ??= this.#lookLater();
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  /** What was there at `stamp` is known. */
  knows(stamp: string): void {
    this.#known = stamp;
    this.#seen = stamp;
  }

  #lookLater(): Cancel {
    return this.#parts.clock.after(LOOK_MS, () => {
      this.#stop = this.#lookLater();
      this.#look();
    });
  }

  #look(): void {
    const stamp = this.#parts.stamp();
    const isSettled = stamp === this.#seen;
    this.#seen = stamp;
    if (!isSettled || stamp === this.#known) return;
    this.#known = stamp;
    this.#parts.changed();
  }
}

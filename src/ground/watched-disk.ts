import type { Clock } from "./clock.ts";
import type { Disk, OpenFile } from "./disk.ts";
import { messageOf } from "./thrown.ts";

/** A disk that does not take what is written to it. */
export interface DiskTrouble {
  /** Milliseconds since the epoch: the first write that failed with none that worked after it. */
  readonly since: number;
  /** What the last failure said. */
  readonly message: string;
}

/** A disk, and whether it takes what is written: a write that fails begins a trouble, the next that works ends it. */
export class WatchedDisk implements Disk {
  readonly #disk: Disk;
  readonly #clock: Clock;
  readonly #changed: (trouble: DiskTrouble | undefined) => void;
  #trouble: DiskTrouble | undefined;

  /** `changed`: a trouble has begun, or is over. */
  constructor(disk: Disk, clock: Clock, changed: (trouble: DiskTrouble | undefined) => void) {
    this.#disk = disk;
    this.#clock = clock;
    this.#changed = changed;
  }

  get trouble(): DiskTrouble | undefined {
    return this.#trouble;
  }

  makeFolder(path: string): void {
    this.#attempt(() => this.#disk.makeFolder(path));
  }

  list(path: string): string[] {
    return this.#disk.list(path);
  }

  exists(path: string): boolean {
    return this.#disk.exists(path);
  }

  read(path: string): Buffer | undefined {
    return this.#disk.read(path);
  }

  replace(path: string, content: string | Buffer): void {
    this.#attempt(() => this.#disk.replace(path, content));
    this.#works();
  }

  open(path: string): OpenFile {
    const file = this.#attempt(() => this.#disk.open(path));
    return {
      size: () => file.size(),
      read: (bytes, offset, length, position) => file.read(bytes, offset, length, position),
      write: (bytes, offset, length, position) => {
        const written = this.#attempt(() => file.write(bytes, offset, length, position));
        // A short write may be the last that fits.
        if (written === length) this.#works();
        return written;
      },
      truncate: (size) => this.#attempt(() => file.truncate(size)),
      sync: () => this.#attempt(() => file.sync()),
      syncSoon: async () => {
        try {
          await file.syncSoon();
        } catch (error) {
          this.#fails(error);
          throw error;
        }
      },
      close: () => file.close(),
    };
  }

  remove(path: string): void {
    this.#disk.remove(path);
  }

  syncFolder(path: string): void {
    this.#attempt(() => this.#disk.syncFolder(path));
  }

  #attempt<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      this.#fails(error);
      throw error;
    }
  }

  #fails(error: unknown): void {
    const before = this.#trouble;
    this.#trouble = { since: before?.since ?? this.#clock.now(), message: messageOf(error) };
    if (!before) this.#changed(this.#trouble);
  }

  #works(): void {
    if (!this.#trouble) return;
    this.#trouble = undefined;
    this.#changed(undefined);
  }
}

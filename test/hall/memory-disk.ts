import path from "node:path";
import type { Disk, OpenFile } from "../../src/ground/disk.ts";

/** How the next writes, cuts and syncs go: a number of bytes at most, or what they throw. */
type Fate = number | Error;

/** A disk in memory, of which any operation can be made to fail or to do half its work. */
export class MemoryDisk implements Disk {
  readonly files = new Map<string, Buffer>();
  readonly folders = new Set<string>();
  /** Files that are open now. */
  opened = 0;
  /** Syncs that came to their end. */
  synced = 0;
  /** Fates of the writes that come, in order; without one a write is whole. */
  writes: Fate[] = [];
  truncates: (Error | undefined)[] = [];
  syncs: (Error | undefined)[] = [];
  /** What every operation that changes a file throws, while it is set. */
  broken: Error | undefined;
  /** Syncs that are under way end when this resolves. */
  syncsEnd: Promise<void> = Promise.resolve();

  makeFolder(folder: string): void {
    this.#mayChange();
    this.folders.add(folder);
  }

  list(folder: string): string[] {
    const names = [...this.files.keys(), ...this.folders]
      .filter((name) => name.startsWith(`${folder}${path.sep}`))
      .map((name) => name.slice(folder.length + 1).split(path.sep)[0] ?? "");
    return [...new Set(names)];
  }

  exists(name: string): boolean {
    return this.files.has(name) || this.folders.has(name);
  }

  read(name: string): Buffer | undefined {
    return this.files.get(name);
  }

  replace(name: string, content: string | Buffer): void {
    this.#mayChange();
    this.files.set(name, Buffer.from(content));
  }

  open(name: string): OpenFile {
    if (!this.files.has(name)) this.files.set(name, Buffer.alloc(0));
    this.opened += 1;
    let open = true;
    const content = (): Buffer => {
      if (!open) throw Object.assign(new Error("EBADF"), { code: "EBADF" });
      return this.files.get(name) ?? Buffer.alloc(0);
    };
    return {
      size: () => content().length,
      write: (bytes, offset, length, position) => {
        const before = content();
        this.#mayChange();
        const fate = this.writes.shift() ?? length;
        if (fate instanceof Error) throw fate;
        const count = Math.min(fate, length);
        const after = Buffer.alloc(Math.max(before.length, position + count));
        before.copy(after);
        bytes.copy(after, position, offset, offset + count);
        this.files.set(name, after);
        return count;
      },
      read: (bytes, offset, length, position) => content().copy(bytes, offset, position, position + length),
      truncate: (size) => {
        const before = content();
        this.#mayChange();
        const fate = this.truncates.shift();
        if (fate) throw fate;
        this.files.set(name, before.subarray(0, size));
      },
      sync: () => {
        content();
        const fate = this.syncs.shift();
        if (fate) throw fate;
        this.synced += 1;
      },
      syncSoon: async () => {
        content();
        const fate = this.syncs.shift();
        await this.syncsEnd;
        if (fate) throw fate;
        this.synced += 1;
      },
      close: () => {
        content();
        open = false;
        this.opened -= 1;
      },
    };
  }

  remove(name: string): void {
    this.#mayChange();
    for (const file of [...this.files.keys(), ...this.folders]) {
      if (file !== name && !file.startsWith(`${name}${path.sep}`)) continue;
      this.files.delete(file);
      this.folders.delete(file);
    }
  }

  syncFolder(_folder: string): void {}

  #mayChange(): void {
    if (this.broken) throw this.broken;
  }
}

export const full = (): Error =>
  Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });

import path from "node:path";
import type { Disk, OpenFile } from "../../../src/ground/disk.ts";
import type { Dice } from "../../doubles/dice.ts";

/** What an operation throws that the crash did not let through. */
class Crashed extends Error {}

/** A file, and what of it a power cut would leave. */
interface Content {
  bytes: Buffer;
  /** Bytes that are on the platter. */
  synced: number;
  /** What the name meant before it was given to this file, until the folder is synced. */
  before: Buffer | undefined;
}

/** A disk in memory that stops in the middle of its nth change, as the machine under a hall may. */
export class CrashDisk implements Disk {
  /** Changes that were begun. */
  changes = 0;
  /** The change in which it stops; 0: none. */
  crashAt = 0;
  crashed = false;
  readonly #dice: Dice;
  #files = new Map<string, Content>();
  #folders = new Set<string>();

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  /** What a next hall finds when the process was killed; after a power cut, only what was synced is sure. */
  afterwards(powerCut: boolean, dice: Dice): CrashDisk {
    const next = new CrashDisk(dice);
    next.#folders = new Set(this.#folders);
    for (const [name, { bytes, synced, before }] of this.#files) {
      const left = powerCut ? this.#leftOf(bytes, synced, before) : bytes;
      next.#files.set(name, { bytes: left, synced: left.length, before: undefined });
    }
    return next;
  }

  text(name: string): string {
    return this.#files.get(name)?.bytes.toString("utf8") ?? "";
  }

  /** Names of files under a folder, at any depth. */
  under(folder: string): string[] {
    return [...this.#files.keys()].filter((name) => name.startsWith(`${folder}${path.sep}`));
  }

  makeFolder(folder: string): void {
    if (!this.#folders.has(folder)) this.#change(() => {});
    this.#folders.add(folder);
  }

  list(folder: string): string[] {
    const names = [...this.#files.keys(), ...this.#folders]
      .filter((name) => name.startsWith(`${folder}${path.sep}`))
      .map((name) => name.slice(folder.length + 1).split(path.sep)[0] ?? "");
    return [...new Set(names)];
  }

  exists(name: string): boolean {
    return this.#files.has(name) || this.#folders.has(name);
  }

  read(name: string): Buffer | undefined {
    return this.#files.get(name)?.bytes;
  }

  /** A crash leaves the old one or the new one. */
  replace(name: string, content: string | Buffer): void {
    const bytes = Buffer.from(content);
    const file = { bytes, synced: bytes.length, before: this.#files.get(name)?.bytes };
    this.#change(() => {
      if (this.#dice.below(2) === 0) this.#files.set(name, file);
    });
    this.#files.set(name, file);
  }

  open(name: string): OpenFile {
    if (!this.#files.has(name)) {
      this.#change(() => {});
      this.#files.set(name, { bytes: Buffer.alloc(0), synced: 0, before: undefined });
    }
    return new CrashFile(
      () => this.#files.get(name) ?? { bytes: Buffer.alloc(0), synced: 0, before: undefined },
      (midway) => this.#change(midway),
      this.#dice,
    );
  }

  /** A crash leaves some of a folder's files. */
  remove(name: string): void {
    const inside = [...this.#files.keys(), ...this.#folders].filter(
      (file) => file === name || file.startsWith(`${name}${path.sep}`),
    );
    if (inside.length === 0) return;
    const take = (some: readonly string[]): void => {
      for (const file of some) {
        this.#files.delete(file);
        this.#folders.delete(file);
      }
    };
    this.#change(() => take(inside.slice(0, this.#dice.below(inside.length))));
    take(inside);
  }

  syncFolder(folder: string): void {
    for (const name of this.under(folder)) {
      const file = this.#files.get(name);
      if (file) file.before = undefined;
    }
  }

  #leftOf(bytes: Buffer, synced: number, before: Buffer | undefined): Buffer {
    if (before && this.#dice.below(2) === 0) return before;
    return bytes.subarray(0, synced + this.#dice.below(bytes.length - synced + 1));
  }

  /** `midway`: what of the change is done when it is the one that does not come to its end. */
  #change(midway: () => void): void {
    if (this.crashed) throw new Crashed("the machine has stopped");
    this.changes += 1;
    if (this.changes !== this.crashAt) return;
    midway();
    this.crashed = true;
    throw new Crashed("the machine stops here");
  }
}

class CrashFile implements OpenFile {
  readonly #content: () => Content;
  readonly #change: (midway: () => void) => void;
  readonly #dice: Dice;

  constructor(content: () => Content, change: (midway: () => void) => void, dice: Dice) {
    this.#content = content;
    this.#change = change;
    this.#dice = dice;
  }

  size(): number {
    return this.#content().bytes.length;
  }

  write(bytes: Buffer, offset: number, length: number, position: number): number {
    const put = (count: number): void => {
      const file = this.#content();
      const after = Buffer.alloc(Math.max(file.bytes.length, position + count));
      file.bytes.copy(after);
      bytes.copy(after, position, offset, offset + count);
      file.bytes = after;
    };
    this.#change(() => put(this.#dice.below(length + 1)));
    put(length);
    return length;
  }

  read(bytes: Buffer, offset: number, length: number, position: number): number {
    return this.#content().bytes.copy(bytes, offset, position, position + length);
  }

  truncate(size: number): void {
    const file = this.#content();
    this.#change(() => {});
    file.bytes = file.bytes.subarray(0, size);
    file.synced = Math.min(file.synced, size);
  }

  sync(): void {
    this.#change(() => {});
    const file = this.#content();
    file.synced = file.bytes.length;
  }

  async syncSoon(): Promise<void> {
    this.sync();
  }

  close(): void {}
}

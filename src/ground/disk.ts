import fs from "node:fs";
import { codeOf } from "./thrown.ts";

/**
 * The few file operations that the hall's state stands on, handed in, so that a test can make any one of
 * them fail, be cut short, or be the last before a crash. All are synchronous: where a line is on disk
 * before it is on a socket, order is everything. Errors are Node's own (`code`: ENOENT, ENOSPC, …).
 */
export interface Disk {
  /** Creates the folder and its parents; mode 0700. */
  makeFolder(path: string): void;
  /** Names in a folder; none when it is not there. */
  list(path: string): string[];
  exists(path: string): boolean;
  /** The whole file; undefined when it is not there. */
  read(path: string): Buffer | undefined;
  /** Replaces a file as a whole: readers see the old or the new one, never a part. Mode 0600. */
  replace(path: string, content: string | Buffer): void;
  /** Opens for appending and reading, created with mode 0600 when it is not there. */
  open(path: string): OpenFile;
  /** Takes a file or a whole folder away; nothing there is no error. */
  remove(path: string): void;
  /** The names in a folder to the platter: a replaced file is there for good only when its name is. */
  syncFolder(path: string): void;
}

export interface OpenFile {
  size(): number;
  /** Writes at `position`; may write less than asked, as the kernel may. Answers the bytes written. */
  write(bytes: Buffer, offset: number, length: number, position: number): number;
  /** Reads into `bytes`; answers how many, 0 at the end. */
  read(bytes: Buffer, offset: number, length: number, position: number): number;
  truncate(size: number): void;
  /** To the platter: returns when a power cut can no longer take it. */
  sync(): void;
  /** As `sync`, without holding anyone up. */
  syncSoon(): Promise<void>;
  close(): void;
}

const isMissing = (error: unknown): boolean => codeOf(error) === "ENOENT";

class RealFile implements OpenFile {
  readonly #fd: number;

  constructor(fd: number) {
    this.#fd = fd;
  }

  size(): number {
    return fs.fstatSync(this.#fd).size;
  }

  write(bytes: Buffer, offset: number, length: number, position: number): number {
    return fs.writeSync(this.#fd, bytes, offset, length, position);
  }

  read(bytes: Buffer, offset: number, length: number, position: number): number {
    return fs.readSync(this.#fd, bytes, offset, length, position);
  }

  truncate(size: number): void {
    fs.ftruncateSync(this.#fd, size);
  }

  sync(): void {
    fs.fdatasyncSync(this.#fd);
  }

  syncSoon(): Promise<void> {
    return new Promise((resolve, reject) => {
      fs.fdatasync(this.#fd, (error) => (error ? reject(error) : resolve()));
    });
  }

  close(): void {
    fs.closeSync(this.#fd);
  }
}

export const realDisk: Disk = {
  makeFolder(path) {
    fs.mkdirSync(path, { recursive: true, mode: 0o700 });
  },
  list(path) {
    try {
      return fs.readdirSync(path);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  },
  exists: (path) => fs.existsSync(path),
  read(path) {
    try {
      return fs.readFileSync(path);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  },
  replace(path, content) {
    const fresh = `${path}.new`;
    const fd = fs.openSync(fresh, "w", 0o600);
    try {
      fs.writeFileSync(fd, content);
      fs.fdatasyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
    fs.renameSync(fresh, path);
  },
  open: (path) => new RealFile(fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600)),
  remove(path) {
    fs.rmSync(path, { recursive: true, force: true });
  },
  syncFolder(path) {
    const fd = fs.openSync(path, "r");
    try {
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  },
};

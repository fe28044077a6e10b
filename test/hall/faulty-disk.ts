import { basename } from "node:path";
import { type Disk, type OpenFile, realDisk } from "../../src/ground/disk.ts";

/** What is done to a file of this name that can fail. */
type Operation = (name: string, text: string) => boolean;

/** The real disk, on which writes fail where a test says so, as on a disk that is full. */
export class FaultyDisk implements Disk {
  /** True: a write of this text to a file of this name fails, having written half of it. */
  fails: Operation = () => false;
  /** Writes that failed. */
  failed = 0;

  makeFolder = realDisk.makeFolder;
  list = realDisk.list;
  exists = realDisk.exists;
  read = realDisk.read;
  remove = realDisk.remove;
  syncFolder = realDisk.syncFolder;

  replace(path: string, content: string | Buffer): void {
    if (this.fails(basename(path), content.toString())) this.#fail();
    realDisk.replace(path, content);
  }

  open(path: string): OpenFile {
    const file = realDisk.open(path);
    return {
      size: () => file.size(),
      read: (bytes, offset, length, position) => file.read(bytes, offset, length, position),
      truncate: (size) => file.truncate(size),
      sync: () => file.sync(),
      syncSoon: () => file.syncSoon(),
      close: () => file.close(),
      write: (bytes, offset, length, position) => {
        const text = bytes.toString("utf8", offset, offset + length);
        if (!this.fails(basename(path), text)) return file.write(bytes, offset, length, position);
        file.write(bytes, offset, Math.floor(length / 2), position);
        return this.#fail();
      },
    };
  }

  #fail(): never {
    this.failed += 1;
    throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
  }
}

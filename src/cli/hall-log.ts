import fs from "node:fs";

/** Beyond this the log of earlier runs makes way: one older file is kept. */
const LONGEST_BYTES = 8 * 2 ** 20;
/** Enough for what a hall says that does not start. */
const TAIL_BYTES = 16 * 1024;
/** How each complaint of ours begins. */
const OURS = "hall: ";

/** Where a hall writes that has no terminal. */
export class HallLog {
  readonly file: string;
  /** For the hall to write to. */
  readonly fd: number;
  /** Where the log stood when it was opened: what comes after is of this start. */
  readonly #from: number;

  private constructor(file: string, fd: number) {
    this.file = file;
    this.fd = fd;
    this.#from = fs.fstatSync(fd).size;
  }

  /** For appending; 0600. */
  static open(file: string): HallLog {
    const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size > LONGEST_BYTES) fs.renameSync(file, `${file}.old`);
    return new HallLog(file, fs.openSync(file, "a", 0o600));
  }

  /** Our end of it: whoever was given the file keeps it. */
  close(): void {
    fs.closeSync(this.fd);
  }

  /** Why a hall ended that was given the file, in its own words: what is not JSON is no log entry. */
  complaint(): string | undefined {
    const words = this.#tail()
      .split("\n")
      .filter((line) => line.trim() !== "" && !line.startsWith("{"));
    return words.find((line) => line.startsWith(OURS))?.slice(OURS.length) ?? words.at(-1);
  }

  #tail(): string {
    const file = fs.openSync(this.file, "r");
    try {
      const { size } = fs.fstatSync(file);
      const from = Math.max(this.#from, size - TAIL_BYTES);
      const bytes = Buffer.alloc(Math.max(0, size - from));
      return bytes.toString("utf8", 0, fs.readSync(file, bytes, 0, bytes.length, from));
    } finally {
      fs.closeSync(file);
    }
  }
}

import { join } from "node:path";
import { z } from "zod";
import type { Disk, OpenFile } from "../ground/disk.ts";
import type { ProcessIdentity } from "./process-table.ts";

/** A process of an earlier hall that nobody saw end. */
export interface Orphan {
  number: number;
  slot: string;
  /** Undefined: the hall was killed between the number and the spawn, or right after it. */
  process: ProcessIdentity | undefined;
}

/** Lines after which the file is written anew, with only what is still open. */
const LONG = 1000;

/**
 * The agent processes of a state directory, as lines of `processes.jsonl`: a number before the spawn, the
 * process after it, and its end. So whatever moment a hall is killed at, the next one knows what may be left, and
 * a number (the process's mark is made of it) is never given twice.
 */
export class Ledger {
  /** The state directory's id: the first half of each mark. */
  readonly state: string;
  readonly #disk: Disk;
  readonly #path: string;
  readonly #open: Map<number, Orphan>;
  readonly #orphans: readonly Orphan[];
  #last: number;
  #file: OpenFile | undefined;
  #size = 0;
  #lines = 0;

  /**
   * @param folder the state directory
   * @param state its id. Lines that were written under another id belong to a copy of this directory, whose
   *   processes may live: they are nobody's orphans here.
   * @throws Node's own error when the file cannot be read or written
   */
  constructor(disk: Disk, folder: string, state: string) {
    this.#disk = disk;
    this.#path = fileIn(folder);
    this.state = state;
    const { open, last } = readLedger(disk, folder, state);
    this.#open = open;
    this.#last = last;
    this.#orphans = [...open.values()];
    this.#rewrite();
  }

  /** What an earlier hall left open. */
  get orphans(): readonly Orphan[] {
    return this.#orphans;
  }

  /** Takes the next number, on disk before it is used. Throws Node's own error when it cannot be. */
  begin(slot: string): number {
    const number = this.#last + 1;
    this.#append({ n: number, slot });
    this.#last = number;
    this.#open.set(number, { number, slot, process: undefined });
    return number;
  }

  spawned(number: number, { pid, startTime }: ProcessIdentity): void {
    this.#append({ n: number, pid, startTime });
    const entry = this.#open.get(number);
    if (entry) this.#open.set(number, { ...entry, process: { pid, startTime } });
  }

  /** Nothing of this process is left. */
  ended(number: number): void {
    this.#append({ n: number, ended: true });
    this.#open.delete(number);
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  #append(line: Line): void {
    if (this.#lines >= LONG && this.#lines > 2 * this.#open.size) this.#shorten();
    this.#file ??= this.#disk.open(this.#path);
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    let written = 0;
    try {
      while (written < bytes.length) {
        const step = this.#file.write(bytes, written, bytes.length - written, this.#size + written);
        if (step === 0) throw new Error(`Nothing more can be written to ${this.#path}.`);
        written += step;
      }
    } catch (error) {
      if (written > 0) this.#cutBack(this.#file);
      throw error;
    }
    this.#size += bytes.length;
    this.#lines++;
  }

  /** What was written of a line that did not fit. If it cannot be cut, the next line is written over it. */
  #cutBack(file: OpenFile): void {
    try {
      file.truncate(this.#size);
    } catch {
      // The error that led here is the one to tell; a half line is skipped when the file is read.
    }
  }

  #shorten(): void {
    try {
      this.#rewrite();
    } catch {
      // The long file is as true as the short one would be; it is tried again in a while.
      this.#lines = 0;
    }
  }

  #rewrite(): void {
    const lines: Line[] = [{ state: this.state, last: this.#last }];
    for (const { number, slot, process } of this.#open.values()) {
      lines.push({ n: number, slot, ...process });
    }
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    this.#disk.replace(this.#path, text);
    this.close();
    this.#size = Buffer.byteLength(text);
    this.#lines = lines.length;
  }
}

/** What a ledger holds. */
export interface LedgerContent {
  /** By number: what nobody saw end. */
  open: Map<number, Orphan>;
  /** The highest number that was ever given. */
  last: number;
}

/** Reads the ledger of a state directory (`folder`, by its `state` id) as it is, for whoever does not hold it, too. */
export function readLedger(disk: Pick<Disk, "read">, folder: string, state: string): LedgerContent {
  const text = disk.read(fileIn(folder))?.toString("utf8") ?? "";
  const open = new Map<number, Orphan>();
  let last = 0;
  let ours = false;
  for (const piece of text.split("\n")) {
    const line = parse(piece);
    // A torn or damaged line says nothing; the numbers around it still count.
    if (line === undefined) continue;
    if (line.state !== undefined) ours = line.state === state;
    last = Math.max(last, line.last ?? 0, line.n ?? 0);
    if (ours && line.n !== undefined) note(open, line.n, line);
  }
  return { open, last };
}

const fileIn = (folder: string): string => join(folder, "processes.jsonl");

function note(open: Map<number, Orphan>, number: number, { slot, pid, startTime, ended }: Line): void {
  if (ended) {
    open.delete(number);
    return;
  }
  const before = open.get(number);
  const process = pid !== undefined && startTime !== undefined ? { pid, startTime } : before?.process;
  open.set(number, { number, slot: slot ?? before?.slot ?? "", process });
}

const Entry = z
  .object({
    state: z.string(),
    last: z.int().nonnegative(),
    n: z.int().positive(),
    slot: z.string(),
    pid: z.int().positive(),
    startTime: z.string(),
    ended: z.boolean(),
  })
  .partial();

type Line = z.infer<typeof Entry>;

function parse(text: string): Line | undefined {
  try {
    return Entry.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

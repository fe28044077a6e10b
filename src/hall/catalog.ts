import path from "node:path";
import { type Fields, isFields } from "../acp/checks.ts";
import { invalidParams } from "../acp/errors.ts";
import { HallKey } from "../acp/extensions.ts";
import { parsed } from "../ground/json.ts";
import { LineFile, type LineFileParts } from "./line-file.ts";
import type { SessionFiles } from "./session-files.ts";

/** A session as a list shows it. */
export interface Summary {
  id: string;
  slot: string;
  cwd: string;
  additionalDirectories: string[];
  owner: string;
  title: string | undefined;
  /** Milliseconds since the epoch: when it last changed. */
  updatedAt: number;
  turns: number;
  /** Of its journal, as far as the record tells. */
  bytes: number;
  /** When the first of the prompts was accepted that the next hall is to run, in ms since the epoch. */
  waitingSince?: number;
}

const PAGE = 50;

/** When the file has so many more lines than there are sessions, it is written anew. */
const SPARE_LINES = 10_000;

/**
 * All sessions of the hall, without opening one: a line each in `index.jsonl`, the last one of an id counting.
 * It only repeats what the sessions' own records hold, and is written anew from them when it cannot be trusted.
 */
export class Catalog {
  readonly #summaries = new Map<string, Summary>();
  readonly #path: string;
  readonly #parts: LineFileParts;
  #file: LineFile;
  #release: () => void;
  #lines = 0;
  /** A line could not be written: the file is not to be trusted. */
  #lacking = false;

  private constructor(folder: string, parts: LineFileParts) {
    this.#path = path.join(folder, "index.jsonl");
    this.#parts = parts;
    this.#file = new LineFile(this.#path, parts);
    this.#release = this.#file.hold();
  }

  /** `rebuilt`: the summaries as the sessions' records tell them, when the last hall did not stop cleanly. */
  static open(
    folder: string,
    parts: LineFileParts,
    rebuilt: () => Iterable<Summary>,
    wasClean: boolean,
  ): Catalog {
    const catalog = new Catalog(folder, parts);
    const trusted = wasClean && parts.disk.exists(catalog.#path) ? catalog.#read() : undefined;
    for (const summary of trusted ?? rebuilt()) catalog.#summaries.set(summary.id, summary);
    catalog.#rewrite();
    return catalog;
  }

  get size(): number {
    return this.#summaries.size;
  }

  get(id: string): Summary | undefined {
    return this.#summaries.get(id);
  }

  get all(): Iterable<Summary> {
    return this.#summaries.values();
  }

  /** Those that had a turn, whosever they are, the newest first. */
  newest(count: number): Summary[] {
    const shown = [...this.#summaries.values()].filter(({ turns }) => turns > 0);
    return shown.sort(newestFirst).slice(0, count);
  }

  put(summary: Summary): void {
    this.#summaries.set(summary.id, summary);
    this.#append(summary);
  }

  remove(id: string): void {
    if (this.#summaries.delete(id)) this.#append({ id, removed: true });
  }

  /** Sessions that had a turn, newest first: one page, and where the next begins. Throws -32602 for a bad cursor. */
  page(
    cursor: string | undefined,
    cwd: string | undefined,
    isSeen: (summary: Summary) => boolean,
  ): { sessions: Summary[]; next?: string } {
    const before = cursor === undefined ? undefined : readCursor(cursor);
    const shown = [...this.#summaries.values()]
      .filter((summary) => summary.turns > 0 && isSeen(summary))
      .filter((summary) => cwd === undefined || summary.cwd === cwd)
      .filter((summary) => !before || newestFirst(before, summary) < 0)
      .sort(newestFirst);
    const sessions = shown.slice(0, PAGE);
    const last = sessions.at(-1);
    return last && shown.length > PAGE ? { sessions, next: writeCursor(last) } : { sessions };
  }

  /**
   * The file is synced and closed, or taken away where it lacks something, be it (`whole`) a session that could not be
   * read. False: it could not be.
   */
  close(whole = true): boolean {
    try {
      if (this.#lacking || !whole) this.#parts.disk.remove(this.#path);
      else this.#file.sync();
      return true;
    } catch (error) {
      this.#parts.noticed("the index could not be put down as it should be", error);
      return false;
    } finally {
      this.#release();
      this.#file.close();
    }
  }

  #append(line: object): void {
    try {
      this.#file.append(Buffer.from(`${JSON.stringify(line)}\n`));
      this.#lines += 1;
      // There is room again: what it lacks is put in.
      if (this.#lacking) this.#rewrite();
    } catch (error) {
      this.#lacking = true;
      this.#parts.noticed("the index could not be written; it is made anew at the next start", error);
    }
    if (this.#lines > this.#summaries.size + SPARE_LINES) this.#rewrite();
  }

  /** Undefined: a line of it cannot be read, so it is not known what it lacks. */
  #read(): Iterable<Summary> | undefined {
    const found = new Map<string, Summary>();
    for (const line of this.#file.read(0, this.#file.end).toString("utf8").split("\n")) {
      if (line === "") continue;
      const summary = readSummary(line);
      if (summary === undefined) return undefined;
      if ("removed" in summary) found.delete(summary.id);
      else found.set(summary.id, summary);
    }
    return this.#file.tornBytes > 0 ? undefined : found.values();
  }

  #rewrite(): void {
    const lines = [...this.#summaries.values()].map((summary) => `${JSON.stringify(summary)}\n`);
    try {
      this.#parts.disk.replace(this.#path, lines.join(""));
    } catch (error) {
      this.#lacking = true;
      // Not tried again with every line.
      this.#lines = this.#summaries.size;
      this.#parts.noticed("the index could not be written; it is made anew at the next start", error);
      return;
    }
    this.#release();
    this.#file.close();
    this.#file = new LineFile(this.#path, this.#parts);
    this.#release = this.#file.hold();
    this.#lines = lines.length;
    this.#lacking = false;
  }
}

function readSummary(line: string): Summary | { id: string; removed: true } | undefined {
  const value = parsed(line);
  if (!isFields(value) || typeof value.id !== "string") return undefined;
  if (value.removed === true) return { id: value.id, removed: true };
  const {
    id,
    slot,
    cwd,
    additionalDirectories,
    owner,
    title,
    updatedAt,
    turns,
    bytes = 0,
    waitingSince,
  } = value;
  if (typeof slot !== "string" || typeof cwd !== "string" || typeof owner !== "string") return undefined;
  if (!Array.isArray(additionalDirectories) || !additionalDirectories.every(isText)) return undefined;
  if (typeof updatedAt !== "number" || typeof turns !== "number" || typeof bytes !== "number")
    return undefined;
  const named = typeof title === "string" ? title : undefined;
  const waiting = typeof waitingSince === "number" ? { waitingSince } : {};
  return { id, slot, cwd, additionalDirectories, owner, title: named, updatedAt, turns, bytes, ...waiting };
}

const isText = (value: unknown): value is string => typeof value === "string";

interface Position {
  updatedAt: number;
  id: string;
}

const newestFirst = (a: Position, b: Position): number =>
  b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

const writeCursor = ({ updatedAt, id }: Position): string =>
  Buffer.from(JSON.stringify([updatedAt, id])).toString("base64url");

function readCursor(cursor: string): Position {
  const value = parsed(Buffer.from(cursor, "base64url").toString("utf8"));
  if (Array.isArray(value) && typeof value[0] === "number" && typeof value[1] === "string") {
    return { updatedAt: value[0], id: value[1] };
  }
  throw invalidParams("This cursor is not one that the hall gave; list again from the start.");
}

/** A summary as ACP's `SessionInfo`. */
export function sessionInfo(summary: Summary): Fields {
  const { id, cwd, additionalDirectories, title, updatedAt, slot } = summary;
  return {
    sessionId: id,
    cwd,
    ...(additionalDirectories.length > 0 ? { additionalDirectories } : {}),
    ...(title === undefined ? {} : { title }),
    updatedAt: new Date(updatedAt).toISOString(),
    _meta: { [HallKey.slot]: slot },
  };
}

/** A session's row, from its own files. */
export function summaryOfFiles({ id, memory }: SessionFiles): Summary {
  const { slot, cwd, additionalDirectories, owner, title, updatedAt, turns, reach: bytes } = memory;
  const [waits] = memory.waiting.values();
  const first = memory.goingOn ?? waits;
  const waiting = first ? { waitingSince: first.acceptedAt } : {};
  return {
    id,
    slot,
    cwd,
    additionalDirectories,
    owner,
    title,
    updatedAt,
    turns: turns.size,
    bytes,
    ...waiting,
  };
}

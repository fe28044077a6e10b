import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../ground/thrown.ts";
import { MARK_VARIABLE } from "./mark.ts";
import type { ProcessRow } from "./process-table.ts";
import type { SurveyedTable } from "./shared-table.ts";

const MARK_BEGINNING = `${MARK_VARIABLE}=`;

/** Linux: the process table as files (proc(5)). */
export class ProcFolder implements SurveyedTable {
  readonly #root: string;
  readonly #boot: string;

  constructor(root = "/proc") {
    this.#root = root;
    // Start times count from the boot; a ledger outlives it.
    this.#boot = this.#read("sys/kernel/random/boot_id")?.toString("latin1").trim() ?? "";
  }

  list(): ProcessRow[] {
    return this.#living(this.#pids());
  }

  find(pid: number): ProcessRow | undefined {
    const stat = this.#read(`${pid}/stat`);
    return stat && parseStat(stat.toString("latin1"), this.#boot);
  }

  marked(marks: ReadonlySet<string>): ProcessRow[] {
    const carriers = [...this.byMark()].flatMap(([mark, rows]) => (marks.has(mark) ? rows : []));
    return [...new Set(carriers)];
  }

  /** All that carry a mark, by the mark. */
  byMark(): Map<string, ProcessRow[]> {
    const carriers = new Map<string, ProcessRow[]>();
    for (const pid of this.#pids()) {
      const marks = this.#words(`${pid}/environ`).filter((word) => word.startsWith(MARK_BEGINNING));
      const [row] = marks.length > 0 ? this.#living([pid]) : [];
      if (!row) continue;
      for (const word of new Set(marks)) {
        const mark = word.slice(MARK_BEGINNING.length);
        carriers.set(mark, [...(carriers.get(mark) ?? []), row]);
      }
    }
    return carriers;
  }

  commandLine(pid: number): string[] {
    return this.#words(`${pid}/cmdline`);
  }

  #living(pids: readonly number[]): ProcessRow[] {
    return pids.flatMap((pid) => this.find(pid) ?? []).filter((row) => !row.zombie);
  }

  #pids(): number[] {
    return readdirSync(this.#root)
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  }

  /** Words that end with a zero byte each: newlines inside them are theirs. */
  #words(file: string): string[] {
    const words = this.#read(file)?.toString("utf8").split("\0") ?? [];
    if (words.at(-1) === "") words.pop();
    return words;
  }

  #read(file: string): Buffer | undefined {
    try {
      return readFileSync(join(this.#root, file));
    } catch (error) {
      if (isOutOfSight(error)) return undefined;
      throw error;
    }
  }
}

/** It ended while we looked, or belongs to somebody else. Too many open files, say, is neither. */
const isOutOfSight = (error: unknown): boolean => OUT_OF_SIGHT.has(codeOf(error) ?? "");
const OUT_OF_SIGHT = new Set(["ENOENT", "ESRCH", "EACCES", "EPERM"]);

/**
 * `pid (name) state parent group session …`. The name is whatever the program chose, parentheses, spaces and
 * newlines included, so fields are counted from the last parenthesis: state is field 3, threads 20, start 22.
 */
function parseStat(stat: string, boot: string): ProcessRow | undefined {
  const fields = stat.slice(stat.lastIndexOf(")") + 1).match(/\S+/g) ?? [];
  const [state, parent, group, session] = fields;
  const [threads, startTicks] = [fields[17], fields[19]];
  if (state === undefined || startTicks === undefined) return undefined;
  // A process whose first thread ended shows as a zombie while its other threads go on.
  const zombie = state === "X" || state === "x" || (state === "Z" && Number(threads) <= 1);
  return {
    pid: Number.parseInt(stat, 10),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startTime: `${startTicks}@${boot}`,
    zombie,
  };
}

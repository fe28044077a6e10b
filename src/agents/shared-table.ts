import type { ProcessRow, ProcessTable } from "./process-table.ts";

/** A table that can tell in one look who carries which mark. */
export interface SurveyedTable extends ProcessTable {
  byMark(): ReadonlyMap<string, readonly ProcessRow[]>;
}

/**
 * A process table for hundreds who look at it at once: a hall that stops ends all its agents, and each look reads
 * several files of each process of the machine. What one look found is good for all others in the same turn of the
 * event loop; whoever finds that it is not true any more says so by `refresh`.
 */
export class SharedTable implements ProcessTable {
  readonly #table: SurveyedTable;
  #rows: ProcessRow[] | undefined;
  #byMark: ReadonlyMap<string, readonly ProcessRow[]> | undefined;

  constructor(table: SurveyedTable) {
    this.#table = table;
  }

  list(): ProcessRow[] {
    if (!this.#rows) this.#forgetSoon();
    this.#rows ??= this.#table.list();
    return this.#rows;
  }

  marked(marks: ReadonlySet<string>): ProcessRow[] {
    if (!this.#byMark) this.#forgetSoon();
    this.#byMark ??= this.#table.byMark();
    const carriers = [...marks].flatMap((mark) => this.#byMark?.get(mark) ?? []);
    return [...new Set(carriers)];
  }

  /** Always as it is now, as is `commandLine`. */
  find(pid: number): ProcessRow | undefined {
    return this.#table.find(pid);
  }

  commandLine(pid: number): string[] {
    return this.#table.commandLine(pid);
  }

  refresh(): void {
    this.#rows = undefined;
    this.#byMark = undefined;
  }

  #forgetSoon(): void {
    setImmediate(() => this.refresh());
  }
}

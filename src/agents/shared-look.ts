import type { ProcessRow, ProcessTable } from "./process-table.ts";

/**
 * A process table that is read once for all who look in the same turn of the event loop: when hundreds of agents
 * end together, each look at all processes of the system serves all of them. It is never older than that turn.
 */
export class SharedLook implements ProcessTable {
  readonly #table: ProcessTable;
  #rows: ProcessRow[] | undefined;
  #marked: ReadonlyMap<string, readonly ProcessRow[]> | undefined;

  constructor(table: ProcessTable) {
    this.#table = table;
  }

  list(): ProcessRow[] {
    this.#rows ??= this.#look(() => this.#table.list());
    return this.#rows;
  }

  marked(): ReadonlyMap<string, readonly ProcessRow[]> {
    this.#marked ??= this.#look(() => this.#table.marked());
    return this.#marked;
  }

  find(pid: number): ProcessRow | undefined {
    return this.#table.find(pid);
  }

  commandLine(pid: number): string[] {
    return this.#table.commandLine(pid);
  }

  #look<Result>(look: () => Result): Result {
    const seen = look();
    setImmediate(() => {
      this.#rows = undefined;
      this.#marked = undefined;
    });
    return seen;
  }
}

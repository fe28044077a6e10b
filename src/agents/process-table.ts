/** What the system knows about its processes. Reading it touches none of them. */
export interface ProcessTable {
  /** All that live and can be seen. What ended while we looked is not there. */
  list(): ProcessRow[];
  /** One process, a zombie too: it ended, but its number is not free. */
  find(pid: number): ProcessRow | undefined;
  /** Those that carry one of the marks in their environment; none where the system does not show it. */
  marked(marks: ReadonlySet<string>): ProcessRow[];
  /** Of a table that keeps what a look found for others: that is not true any more, the next look is a new one. */
  refresh?(): void;
  /** The words that a process was started with; none when it cannot be seen. */
  commandLine(pid: number): string[];
}

export interface ProcessRow extends ProcessIdentity {
  readonly parent: number;
  readonly group: number;
  /** The number of its session; where the system does not say, only a session's leader has one: its own. */
  readonly session: number | undefined;
  readonly zombie: boolean;
}

/** A number alone names nobody for long: numbers are used again. With the time it started it does. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the table's own words: only good for comparing. */
  readonly startTime: string;
}

export const identityOf = ({ pid, startTime }: ProcessIdentity): string => `${pid}@${startTime}`;

/** Whether this very process, not another one under its number, still runs. */
export function isAlive(table: ProcessTable, { pid, startTime }: ProcessIdentity): boolean {
  const row = table.find(pid);
  return row !== undefined && !row.zombie && row.startTime === startTime;
}

/** Children of `roots`, their children, and so on; the roots themselves are not among them. */
export function descendantsOf(rows: readonly ProcessRow[], roots: Iterable<number>): ProcessRow[] {
  const children = new Map<number, ProcessRow[]>();
  for (const row of rows) {
    const siblings = children.get(row.parent);
    if (siblings) siblings.push(row);
    else children.set(row.parent, [row]);
  }
  const seen = new Set(roots);
  const found: ProcessRow[] = [];
  // A set that grows while it is walked is walked to its new end.
  for (const pid of seen) {
    for (const child of children.get(pid) ?? []) {
      if (seen.has(child.pid)) continue;
      seen.add(child.pid);
      found.push(child);
    }
  }
  return found;
}

/** The processes that `pid` descends from, itself included. */
export function ancestryOf(rows: readonly ProcessRow[], pid: number): Set<number> {
  const parents = new Map(rows.map((row) => [row.pid, row.parent]));
  const line = new Set<number>();
  for (let next: number | undefined = pid; next && !line.has(next); next = parents.get(next)) line.add(next);
  return line;
}

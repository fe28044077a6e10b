import { codeOf } from "../ground/thrown.ts";
import {
  ancestryOf,
  descendantsOf,
  identityOf,
  isAlive,
  type ProcessIdentity,
  type ProcessRow,
  type ProcessTable,
} from "./process-table.ts";

export type Send = (pid: number, signal: NodeJS.Signals) => void;

export interface FamilyParts {
  table: ProcessTable;
  /** The processes that we started. */
  leaders: readonly ProcessIdentity[];
  /** Leaders whose process group is theirs beyond doubt: each that has not been reaped. */
  groups: readonly number[];
  marks: readonly string[];
  /** A word in the command line of a daemon that outlives the agent because others share it: it is spared. */
  daemon?: string | undefined;
  /** Sends a signal; a negative number means a process group. */
  send?: Send | undefined;
  /** The number of this process, which is never part of a family. */
  self?: number | undefined;
}

/**
 * Everything that came of an agent process: its group, its descendants, and what carries its mark. Agents start
 * their commands in sessions of their own, where no group signal reaches, and a child whose parent ended is
 * nobody's descendant any more; so the family is listed while it can be, and remembered by number and start time.
 */
export class Family {
  readonly #table: ProcessTable;
  readonly #marks: ReadonlySet<string>;
  readonly #daemon: string | undefined;
  readonly #send: Send;
  readonly #self: number;
  readonly #leaders: ReadonlySet<string>;
  readonly #groups: Set<number>;
  #known: ReadonlySet<string>;

  constructor({ table, leaders, groups, marks, daemon, send, self }: FamilyParts) {
    this.#table = table;
    this.#marks = new Set(marks);
    this.#daemon = daemon;
    this.#send = send ?? ((pid, signal) => process.kill(pid, signal));
    this.#self = self ?? process.pid;
    this.#leaders = new Set(leaders.map(identityOf));
    this.#groups = new Set(groups);
    this.#known = this.#leaders;
  }

  /** Lists who of the family lives now, and remembers them. */
  living(): ProcessRow[] {
    const listed = this.#listed();
    if (listed.every((row) => isAlive(this.#table, row))) return listed;
    // Somebody ended since that list was made, and may have left somebody whom only a new one shows.
    this.#table.refresh?.();
    return this.#listed();
  }

  #listed(): ProcessRow[] {
    const all = this.#table.list();
    // A hall can be started by an agent of its own state directory: it is marked, and must not end itself.
    const self = ancestryOf(all, this.#self);
    const rows = all.filter((row) => !self.has(row.pid));
    for (const row of all) if (self.has(row.pid)) this.#groups.delete(row.group);
    const family = new Map<number, ProcessRow>();
    for (const row of rows) if (this.#isOurs(row)) family.set(row.pid, row);
    for (const row of this.#table.marked(this.#marks)) if (!self.has(row.pid)) family.set(row.pid, row);
    for (const row of descendantsOf(rows, family.keys())) family.set(row.pid, row);
    for (const pid of this.#spared(rows, family)) family.delete(pid);
    const living = [...family.values()];
    this.#known = new Set([...this.#leaders, ...living.map(identityOf)]);
    return living;
  }

  /** Its leader was reaped: the number, which the group bears, can now be given to others. */
  groupIsOver(leader: number): void {
    this.#groups.delete(leader);
  }

  /** To the groups: one call each, so nobody forks away under it. */
  signalGroups(signal: NodeJS.Signals): void {
    for (const group of this.#groups) this.#deliver(-group, signal);
  }

  /** To the groups, and to each of the family in whatever group it is. */
  signalAll(signal: NodeJS.Signals): void {
    const outside = this.living().filter((row) => !this.#groups.has(row.group));
    this.signalGroups(signal);
    for (const row of outside) this.#deliver(row.pid, signal);
  }

  /** Signals one that `living` named. */
  signal(row: ProcessIdentity, signal: NodeJS.Signals): void {
    this.#deliver(row.pid, signal);
  }

  #deliver(pid: number, signal: NodeJS.Signals): void {
    try {
      this.#send(pid, signal);
    } catch (error) {
      // It was gone first, or is another user's by now (a `sudo`): whoever waits for the end sees which.
      if (!isOutOfReach(error)) throw error;
    }
  }

  #isOurs(row: ProcessRow): boolean {
    return this.#known.has(identityOf(row)) || this.#groups.has(row.group);
  }

  #spared(rows: readonly ProcessRow[], family: ReadonlyMap<number, ProcessRow>): number[] {
    const word = this.#daemon;
    if (word === undefined) return [];
    const daemons = [...family.keys()].filter((pid) => this.#table.commandLine(pid).includes(word));
    return [...daemons, ...descendantsOf(rows, daemons).map((row) => row.pid)];
  }
}

function isOutOfReach(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ESRCH" || code === "EPERM";
}

import type { Clock } from "../ground/clock.ts";
import { AgentRun, type LogEntry, type RunListener } from "./agent-run.ts";
import type { Events } from "./events.ts";

/** Runs of a slot that are over and still told of. Those that go on always are: their count has a limit of its own. */
const KEPT_RUNS = 32;

export interface AgentLogParts {
  clock: Clock;
  events: Events;
}

/** Whose log is meant. */
export type LogOf = { slot: string } | { sessionId: string };

/** Sees each entry as it is made. */
type Watcher = (run: AgentRun, entry: LogEntry) => void;

/**
 * What agents said on stderr and what became of them, by slot and by session: in memory, within bounds, and gone with
 * the hall. An agent that says much pushes out what it said itself, and nobody else's words.
 */
export class AgentLog {
  readonly #listener: RunListener;
  readonly #runs = new Map<string, AgentRun[]>();
  /** By slot: until when something happened that is not told any more. */
  readonly #forgotten = new Map<string, number>();
  readonly #watchers = new Set<Watcher>();
  readonly #startedAt: number;
  #told = 0;

  constructor({ clock, events }: AgentLogParts) {
    this.#startedAt = clock.now();
    this.#listener = {
      told: (run, told) => {
        const entry = { number: ++this.#told, at: clock.now(), ...told };
        for (const see of this.#watchers) see(run, entry);
        return entry;
      },
      started: (ids) => events.emit("process.started", ids),
      killed: (ids) => events.emit("process.killed", ids),
      exited: (ids, exit) => events.emit("process.exited", { ...ids, ...exit }),
    };
  }

  /** An agent of this slot is being started. */
  begin(slot: string, mask: (text: string) => string): AgentRun {
    const run = new AgentRun(slot, mask, this.#listener);
    this.#makeRoom(slot).push(run);
    return run;
  }

  /** What is kept, the oldest first; how many entries of the same runs made way; since when all runs are kept. */
  of(whose: LogOf): { entries: { run: AgentRun; entry: LogEntry }[]; dropped: number; since: number } {
    const runs = [...this.#runs.values()].flat().filter((run) => isOf(run, whose));
    const entries = runs.flatMap((run) => run.entries.map((entry) => ({ run, entry })));
    const slots = "slot" in whose ? [whose.slot] : [...this.#runs.keys()];
    return {
      entries: entries.sort((one, other) => one.entry.number - other.entry.number),
      dropped: runs.reduce((sum, { dropped }) => sum + dropped, 0),
      since: Math.max(this.#startedAt, ...slots.map((slot) => this.#forgotten.get(slot) ?? 0)),
    };
  }

  /** Every entry of these from now on, until the answer is called. */
  watch(whose: LogOf, see: Watcher): () => void {
    const watcher: Watcher = (run, entry) => {
      if (isOf(run, whose)) see(run, entry);
    };
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  #makeRoom(slot: string): AgentRun[] {
    const runs = this.#runs.get(slot) ?? [];
    this.#runs.set(slot, runs);
    while (runs.filter(({ over }) => over).length >= KEPT_RUNS) {
      const [oldest] = runs.splice(
        runs.findIndex(({ over }) => over),
        1,
      );
      const last = oldest?.entries.at(-1);
      if (last) this.#forgotten.set(slot, Math.max(last.at, this.#forgotten.get(slot) ?? 0));
    }
    return runs;
  }
}

const isOf = (run: AgentRun, whose: LogOf): boolean =>
  "slot" in whose ? run.slot === whose.slot : run.sessions.has(whose.sessionId);

import type { Clock } from "../ground/clock.ts";
import { untilGone } from "./ending.ts";
import type { Family } from "./family.ts";
import { descendantsOf, identityOf, type ProcessRow } from "./process-table.ts";

/** The processes of an agent at one moment. */
export type ToolsSnapshot = ReadonlySet<string>;

export const snapshotOf = (family: Family): ToolsSnapshot => new Set(family.living().map(identityOf));

/** Milliseconds between SIGTERM and SIGKILL, and until we stop looking. */
const TERMINATE_MS = 2_000;
const KILL_MS = 5_000;

/**
 * Ends what an agent's cancelled turn left running: what came of the agent since the snapshot and leads a session
 * of its own (agents start their commands so), with all that came of that in turn. Resolves when it is gone.
 */
export async function endTools(family: Family, before: ToolsSnapshot, clock: Clock): Promise<void> {
  const tools = new Tools(family, before);
  await untilGone({
    clock,
    left: () => tools.living().length > 0,
    steps: [
      { act: () => tools.signal("SIGTERM"), wait: TERMINATE_MS },
      { act: () => tools.signal("SIGKILL"), wait: KILL_MS, final: true },
    ],
  });
}

/** Remembers what it found: a leader may end at once, and leave children whom nothing else ties to it. */
class Tools {
  readonly #family: Family;
  readonly #before: ToolsSnapshot;
  readonly #sessions = new Set<number>();
  readonly #known = new Set<string>();

  constructor(family: Family, before: ToolsSnapshot) {
    this.#family = family;
    this.#before = before;
  }

  living(): ProcessRow[] {
    const fresh = this.#family.living().filter((row) => !this.#before.has(identityOf(row)));
    for (const row of fresh) if (row.session === row.pid) this.#sessions.add(row.pid);
    const own = fresh.filter((row) => this.#isTool(row));
    const tools = new Set([
      ...own,
      ...descendantsOf(
        fresh,
        own.map((row) => row.pid),
      ),
    ]);
    for (const row of tools) this.#known.add(identityOf(row));
    return [...tools];
  }

  signal(signal: NodeJS.Signals): void {
    for (const row of this.living()) this.#family.signal(row, signal);
  }

  /** Its session bears its leader's number as long as anyone is in it. So does the group, which `ps` can tell. */
  #isTool(row: ProcessRow): boolean {
    const session = row.session ?? row.group;
    return this.#sessions.has(session) || this.#known.has(identityOf(row));
  }
}

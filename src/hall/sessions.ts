import { randomBytes } from "node:crypto";
import type { Fields } from "../acp/checks.ts";
import { failure, sessionNotFound } from "../acp/errors.ts";
import type { Clock } from "../ground/clock.ts";
import type { Disk } from "../ground/disk.ts";
import type { Agent } from "./agent.ts";
import { Catalog, type Summary } from "./catalog.ts";
import type { Events } from "./events.ts";
import { Session, type SessionParts } from "./session.ts";
import { type FilesParts, SessionFiles } from "./session-files.ts";
import type { Slot } from "./slot.ts";
import type { Slots } from "./slots.ts";
import type { State } from "./state.ts";

export interface SessionsParts {
  state: State;
  clock: Clock;
  disk: Disk;
  events: Events;
  slots: Slots;
  /** `limits.sessions`. */
  limit: number;
  session: Omit<SessionParts, "changed">;
  noticed(what: string, detail?: unknown): void;
}

export interface NewSession {
  slot: Slot;
  cwd: string;
  additionalDirectories: string[];
  mcpServers: Fields[];
}

/** A session that is being made; `abort` ends the process that was started for it. */
export interface Opening {
  opened: Promise<{ session: Session; result: Fields }>;
  abort(): void;
}

/** The owner of sessions of the hall's own user. */
const LOCAL = "local";

const newName = (): string => randomBytes(4).toString("hex");

/** All sessions of a hall: those in which something goes on in memory, the others on disk until they are asked for. */
export class Sessions {
  readonly #parts: SessionsParts;
  readonly #files: FilesParts;
  readonly #catalog: Catalog;
  readonly #live = new Map<string, Session>();

  constructor(parts: SessionsParts) {
    const { state, clock, disk, noticed } = parts;
    this.#parts = parts;
    this.#files = { disk, clock, noticed, folder: state.sessionsFolder };
    disk.makeFolder(state.sessionsFolder);
    this.#catalog = Catalog.open(state.folder, this.#files, () => this.#readAll(), state.wasClean);
    this.#dropThoseWithoutTurns();
  }

  get size(): number {
    return this.#catalog.size;
  }

  /** Those in memory: the ones that something can be going on in. */
  get live(): Session[] {
    return [...this.#live.values()];
  }

  findLive(id: string): Session | undefined {
    return this.#live.get(id);
  }

  /** Throws -32002. */
  get(id: string): Session {
    const live = this.#live.get(id);
    if (live) return live;
    const files = this.#catalog.get(id) && SessionFiles.open(id, this.#files);
    if (!files) throw sessionNotFound(id);
    this.#recover(files);
    return this.#take(files, this.#parts.slots.ofSession(files.memory.slot));
  }

  list(cursor: string | undefined, cwd: string | undefined): { sessions: Summary[]; next?: string } {
    return this.#catalog.page(cursor, cwd, LOCAL);
  }

  /** The journal's name, by which a client knows whether a cursor of before still means the same bytes. */
  journalName(session: Session): string {
    return `${this.#parts.state.epoch}-${session.files.memory.journal}`;
  }

  /** Makes a session and its agent session. Throws `too_many_sessions`; rejects as its agent fails. */
  open({ slot, cwd, additionalDirectories, mcpServers }: NewSession): Opening {
    const { clock, limit } = this.#parts;
    if (this.#catalog.size >= limit) {
      const sentence = `The hall keeps ${limit} sessions already (limits.sessions); delete some.`;
      throw failure("too_many_sessions", sentence, { limit });
    }
    const id = `hs_${randomBytes(16).toString("hex")}`;
    const created = {
      type: "created",
      at: clock.now(),
      slot: slot.name,
      cwd,
      additionalDirectories,
      owner: LOCAL,
      journal: newName(),
    } as const;
    const session = this.#take(SessionFiles.create(id, created, mcpServers, this.#files), slot);
    let aborted = false;
    let agentOfIt: Agent | undefined;
    const begun = session.begin((agent) => {
      agentOfIt = agent;
      if (aborted) void agent.process.kill();
    });
    const abort = (): void => {
      aborted = true;
      void agentOfIt?.process.kill();
    };
    return { opened: this.#opened(session, begun), abort };
  }

  /** Ends everything in a session and takes it from the disk. One that is not there is no error. */
  async delete(id: string): Promise<void> {
    if (!this.#catalog.get(id) && !this.#live.has(id)) return;
    const session = this.get(id);
    this.#catalog.remove(id);
    this.#live.delete(id);
    await session.delete();
  }

  /** Nobody will come back to it: nothing was ever asked in it. */
  discard(session: Session): void {
    this.delete(session.id).catch((error: unknown) =>
      this.#parts.noticed(`session ${session.id} could not be removed`, error),
    );
  }

  /** Sessions that nobody looks at and in which nothing goes on leave the memory. */
  forgetDormant(): void {
    for (const session of this.#live.values()) {
      if (session.dormant && !session.watched) this.#live.delete(session.id);
    }
  }

  close(): void {
    this.#catalog.close();
  }

  async #opened(session: Session, begun: Promise<Fields>): Promise<{ session: Session; result: Fields }> {
    try {
      const result = await begun;
      this.#catalog.put(summaryOf(session));
      this.#parts.events.emit("session.created", { session: session.id, slot: session.slot.name });
      return { session, result };
    } catch (error) {
      this.#live.delete(session.id);
      session.files.remove();
      throw error;
    }
  }

  #take(files: SessionFiles, slot: Slot): Session {
    const session = new Session(files, slot, {
      ...this.#parts.session,
      changed: (changed) => {
        // One that is being deleted may still have turns to end.
        if (this.#live.get(changed.id) === changed) this.#catalog.put(summaryOf(changed));
      },
    });
    this.#live.set(files.id, session);
    return session;
  }

  *#readAll(): Iterable<Summary> {
    const { disk, state } = this.#parts;
    for (const id of disk.list(state.sessionsFolder)) {
      const files = SessionFiles.open(id, this.#files);
      if (!files) continue;
      this.#recover(files);
      yield summaryOfFiles(files);
    }
  }

  #recover(files: SessionFiles): void {
    const { clock, noticed } = this.#parts;
    const { interrupted, damaged } = files.recover(clock.now());
    for (const turn of interrupted) noticed(`turn ${turn.id} of ${files.id} was interrupted`);
    if (!damaged) return;
    noticed(`the last line of ${files.id}'s journal was torn and has been cut off`);
    files.write({ type: "renamed", at: clock.now(), journal: newName() });
  }

  /** Sessions end with their client when nothing was asked in them; a killed hall could not see to that. */
  #dropThoseWithoutTurns(): void {
    for (const summary of [...this.#catalog.all]) {
      if (summary.turns > 0) continue;
      this.#catalog.remove(summary.id);
      SessionFiles.open(summary.id, this.#files)?.remove();
    }
  }
}

const summaryOf = (session: Session): Summary => ({
  ...summaryOfFiles(session.files),
  slot: session.slot.name,
});

function summaryOfFiles({ id, memory }: SessionFiles): Summary {
  const { slot, cwd, additionalDirectories, owner, title, updatedAt, turns } = memory;
  return { id, slot, cwd, additionalDirectories, owner, title, updatedAt, turns: turns.size };
}

import { randomBytes } from "node:crypto";
import type { Fields } from "../acp/checks.ts";
import { failure, invalidParams, type RpcError, sessionNotFound } from "../acp/errors.ts";
import type { Cancel, Clock } from "../ground/clock.ts";
import type { Disk } from "../ground/disk.ts";
import { Catalog, type Summary, summaryOfFiles } from "./catalog.ts";
import type { Events } from "./events.ts";
import type { Grant } from "./grant.ts";
import { KeyedOpenings } from "./keyed-openings.ts";
import { KEPT_MS } from "./names.ts";
import { Recovery } from "./recovery.ts";
import { Session, type SessionParts } from "./session.ts";
import { type FilesParts, SessionFiles } from "./session-files.ts";
import { sessionDetail, sessionRow } from "./session-report.ts";
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
  limit(): number;
  session: Omit<SessionParts, "changed" | "rested">;
  noticed(what: string, detail?: unknown): void;
}

export interface NewSession {
  slot: Slot;
  cwd: string;
  additionalDirectories: string[];
  mcpServers: Fields[];
  /** Whose it is: see `Grant`. */
  owner: string;
  /** The halls that it is asked for through. */
  via: readonly string[];
  /** Under which it is made once, however often it is asked for. */
  key?: string;
}

/** A session that is being made; `abort` ends the process that was started for it. */
export interface Opening {
  opened: Promise<{ session: Session; result: Fields }>;
  abort(): void;
}

/** How often it is tried to take up what waits in a session that could not be mended: its disk is full, or worse. */
const TRY_EVERY_MS = 10_000;

const newName = (): string => randomBytes(4).toString("hex");

/** All sessions of a hall: those in which something goes on in memory, the others on disk until they are asked for. */
export class Sessions {
  readonly #parts: SessionsParts;
  readonly #files: FilesParts;
  readonly #catalog: Catalog;
  readonly #live = new Map<string, Session>();
  readonly #openings = new KeyedOpenings();
  readonly #keeping = new Set<Cancel>();
  readonly #recovery: Recovery;
  /** Those that wait and could not be taken up yet, of which the log tells. */
  #stuck = new Set<string>();
  #leavesWaiting = false;
  #stopTrying: Cancel = () => {};

  constructor(parts: SessionsParts) {
    const { state, clock, disk, noticed, slots } = parts;
    this.#parts = parts;
    this.#files = { disk, clock, noticed, folder: state.sessionsFolder };
    this.#recovery = new Recovery(this.#files, { slots, wasClean: state.wasClean, newName, noticed });
    disk.makeFolder(state.sessionsFolder);
    this.#catalog = Catalog.open(state.folder, this.#files, () => this.#recovery.readAll(), state.wasClean);
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
    const files = (this.#catalog.get(id) || this.#recovery.unread.has(id)) && this.#recovery.takeUp(id);
    if (!files) throw sessionNotFound(id);
    const session = this.#take(files, this.#parts.slots.ofSession(files.memory.slot));
    if (this.#recovery.unread.delete(id)) this.#catalog.put(summaryOf(session));
    if (!this.#leavesWaiting) session.turns.takeUp();
    // Whoever asked for it may have no more to do with it than that.
    queueMicrotask(() => this.#forgetDormant(session));
    return session;
  }

  /** What waited when the hall before this one ended begins, the oldest first; where it cannot yet, as soon as it can. */
  takeUpWaiting(): void {
    const waiting = [...this.#catalog.all].filter(({ waitingSince }) => waitingSince !== undefined);
    const stuck = new Set<string>();
    for (const { id } of waiting.sort((a, b) => (a.waitingSince ?? 0) - (b.waitingSince ?? 0))) {
      try {
        this.get(id);
      } catch (error) {
        if (!this.#stuck.has(id)) this.#parts.noticed(`what waits in session ${id} cannot be run yet`, error);
        stuck.add(id);
      }
    }
    this.#stuck = stuck;
    if (stuck.size === 0) return;
    this.#stopTrying = this.#parts.clock.after(TRY_EVERY_MS, () => this.takeUpWaiting());
  }

  /** The hall stops: what waits, and was not taken up yet, is the next one's. */
  leaveWaiting(): void {
    this.#leavesWaiting = true;
    this.#stopTrying();
  }

  /** What `change` makes of menus is told to those who see them; and idle time is counted as it says. */
  tellingMenus(change: () => void): void {
    const before = this.live.map((session) => ({ session, menu: session.menuInWords }));
    change();
    for (const { session, menu } of before) session.slotsChanged(menu);
  }

  /** Throws -32002, for a session that this client may not see as for one that there is not. */
  getFor(grant: Grant, id: string): Session {
    if (!this.isSeen(grant, id)) throw sessionNotFound(id);
    return this.get(id);
  }

  /** Whether there is such a session, as far as this client may know. Throws `journal_failed`. */
  isSeen(grant: Grant, id: string): boolean {
    // Whose one is that could not be read, nobody knows before it can be.
    const live = this.#live.get(id) ?? (this.#recovery.unread.has(id) ? this.get(id) : undefined);
    const session = live ? { owner: live.files.memory.owner, slot: live.slot.name } : this.#catalog.get(id);
    return session !== undefined && grant.sees(session, this.#parts.slots.isShared(session.slot));
  }

  list(
    grant: Grant,
    cursor: string | undefined,
    cwd: string | undefined,
  ): { sessions: Summary[]; next?: string } {
    const { slots } = this.#parts;
    return this.#catalog.page(cursor, cwd, (summary) => grant.sees(summary, slots.isShared(summary.slot)));
  }

  /** The newest `count` of those that had a turn, and how many there are, as people see them. */
  report(count: number): Fields {
    const newest = this.#catalog.newest(count);
    return {
      total: this.size,
      sessions: newest.map((summary) => sessionRow(summary, this.#live.get(summary.id))),
    };
  }

  /** All that is known of one, that is named as for `named`. */
  detail(beginning: string): Fields {
    const session = this.named(beginning);
    return sessionDetail(summaryOf(session), session, this.journalName(session));
  }

  /** The one whose id is this, or the only one whose id begins so. Throws -32002, and -32602 where several do. */
  named(beginning: string): Session {
    if (this.isThere(beginning)) return this.get(beginning);
    const ids = new Set([...this.#catalog.all].map(({ id }) => id).concat([...this.#live.keys()]));
    const found = [...ids].filter((id) => beginning !== "" && id.startsWith(beginning));
    const [id] = found;
    if (id === undefined) throw sessionNotFound(beginning);
    if (found.length > 1) throw ambiguous(beginning, found);
    return this.get(id);
  }

  /** There is a session of this id, whosever it is. */
  isThere(id: string): boolean {
    return this.#live.has(id) || this.#catalog.get(id) !== undefined || this.#recovery.unread.has(id);
  }

  /** The journal's name, by which a client knows whether a cursor of before still means the same bytes. */
  journalName(session: Session): string {
    return `${this.#parts.state.epoch}-${session.files.memory.journal}`;
  }

  /** Makes a session and its agent session. Throws `too_many_sessions`; rejects as its agent fails. */
  open(wanted: NewSession): Opening {
    const { owner } = wanted;
    const key = wanted.key === undefined ? undefined : ownKey(owner, wanted.key);
    const before = key === undefined ? undefined : this.#openings.again(key);
    if (before) return before;
    const opening = this.#open(wanted);
    if (key !== undefined) {
      const { opened, abort } = opening;
      const again = () => opened.then(({ session, result }) => ({ session: this.get(session.id), result }));
      this.#openings.keep(key, () => ({ opened: again(), abort }));
      opened.catch(() => this.#openings.forget(key));
    }
    return opening;
  }

  #open({ slot, cwd, additionalDirectories, mcpServers, owner, key, via }: NewSession): Opening {
    const { clock } = this.#parts;
    const limit = this.#parts.limit();
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
      owner,
      journal: newName(),
      ...(key === undefined ? {} : { key }),
    } as const;
    const session = this.#take(SessionFiles.create(id, created, mcpServers, this.#files), slot);
    const opened = this.#opened(session, session.begin(via));
    // What becomes of it is told by `opened`.
    return { opened, abort: () => void session.giveUp() };
  }

  /** Ends everything in a session and takes it from the disk. One that is not there is no error. */
  async delete(id: string): Promise<void> {
    const live = this.#live.get(id);
    if (!live && !this.#catalog.get(id)) return;
    const bound = live?.files.memory.bound ?? this.#boundBefore(id);
    this.#catalog.remove(id);
    this.#live.delete(id);
    if (live) await live.delete();
    else {
      SessionFiles.remove(id, this.#files);
      this.#parts.events.emit("session.deleted", { sessionId: id });
    }
    if (bound) this.#parts.slots.ofSession(bound.slot).forget(bound.agentSession);
  }

  /** What a session of before was bound to; one that is damaged is deleted without that. */
  #boundBefore(id: string): SessionFiles["memory"]["bound"] {
    try {
      return SessionFiles.open(id, this.#files)?.memory.bound;
    } catch (error) {
      this.#parts.noticed(`session ${id} cannot be read, and is deleted as it is`, error);
      return undefined;
    }
  }

  /** A client that looked at a session is gone. Where nothing was ever asked, nobody will come back to it. */
  leftBehind(id: string): void {
    const live = this.#live.get(id);
    if (live ? !live.unused : this.#catalog.get(id)?.turns !== 0) return;
    this.delete(id).catch((error: unknown) =>
      this.#parts.noticed(`session ${id} could not be removed`, error),
    );
  }

  /** Everything is written. False: not all of it is on the platter. */
  close(): boolean {
    for (const cancel of this.#keeping) cancel();
    for (const session of this.live) if (session.files.memory.waiting.size > 0) this.#changed(session);
    return this.#catalog.close(this.#recovery.unread.size === 0);
  }

  async #opened(session: Session, begun: Promise<Fields>): Promise<{ session: Session; result: Fields }> {
    try {
      const result = await begun;
      this.#catalog.put(summaryOf(session));
      this.#parts.events.emit("session.created", { sessionId: session.id, slot: session.slot.name });
      return { session, result };
    } catch (error) {
      this.#live.delete(session.id);
      this.#remove(session.id);
      throw error;
    }
  }

  #take(files: SessionFiles, slot: Slot): Session {
    const session = new Session(files, slot, {
      ...this.#parts.session,
      changed: (changed) => this.#changed(changed),
      rested: (session) => this.#forgetDormant(session),
    });
    this.#live.set(files.id, session);
    return session;
  }

  /** One that is being deleted may still have turns to end. */
  #changed(session: Session): void {
    if (this.#live.get(session.id) === session) this.#catalog.put(summaryOf(session));
  }

  /** One in which nothing goes on and that nobody looks at leaves the memory. */
  #forgetDormant(session: Session): void {
    if (this.#live.get(session.id) !== session || !this.#catalog.get(session.id) || !session.dormant) return;
    this.#live.delete(session.id);
    session.putDown();
  }

  /**
   * Sessions end with their client when nothing was asked in them; a killed hall could not see to that. One that was
   * asked for under a key has a client that returns: it is kept for as long as that may take.
   */
  #dropThoseWithoutTurns(): void {
    for (const { id, turns } of [...this.#catalog.all]) {
      if (turns > 0) continue;
      const key = this.#keyOf(id);
      if (key !== undefined) this.#keepFor(key, id);
      else if (this.#remove(id)) this.#catalog.remove(id);
    }
  }

  #keyOf(id: string): string | undefined {
    try {
      const memory = SessionFiles.open(id, this.#files)?.memory;
      return memory?.key === undefined ? undefined : ownKey(memory.owner, memory.key);
    } catch (error) {
      this.#parts.noticed(`session ${id} cannot be read`, error);
      return undefined;
    }
  }

  #keepFor(key: string, id: string): void {
    let beginning: Promise<Fields> | undefined;
    const again = async (): Promise<{ session: Session; result: Fields }> => {
      const session = this.get(id);
      if (session.files.memory.bound) return { session, result: session.settingsResult };
      // The hall was killed before there was an agent session, whose modes and options the client has to be told.
      beginning ??= session.begin().finally(() => {
        beginning = undefined;
      });
      return { session, result: await beginning };
    };
    this.#openings.keep(key, () => ({ opened: again(), abort: () => {} }));
    const cancel = this.#parts.clock.after(KEPT_MS, () => {
      this.#keeping.delete(cancel);
      this.leftBehind(id);
    });
    this.#keeping.add(cancel);
  }

  #remove(id: string): boolean {
    try {
      SessionFiles.remove(id, this.#files);
      return true;
    } catch (error) {
      this.#parts.noticed(`session ${id} could not be removed`, error);
      return false;
    }
  }
}

/** Ids that an error names. */
const NAMED_IDS = 5;

function ambiguous(beginning: string, ids: readonly string[]): RpcError {
  const named = ids.slice(0, NAMED_IDS).join(", ");
  const more = ids.length > NAMED_IDS ? ` and ${ids.length - NAMED_IDS} more` : "";
  return invalidParams(`Several sessions begin with ${beginning}: ${named}${more}; write more of the id.`, {
    sessionIds: ids.slice(0, NAMED_IDS),
  });
}

/** A key is good for whoever gave it: another who guesses it gets a session of their own. */
const ownKey = (owner: string, key: string): string => `${owner} ${key}`;

const summaryOf = (session: Session): Summary => ({
  ...summaryOfFiles(session.files),
  slot: session.slot.name,
});

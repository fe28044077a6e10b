import fs from "node:fs";
import { Code, RpcError, shuttingDown } from "../acp/errors.ts";
import { knownAgentNames } from "../agents/registry.ts";
import type { Clock } from "../ground/clock.ts";
import { fileStamp } from "../ground/file-stamp.ts";
import { messageOf } from "../ground/thrown.ts";
import type { Hall } from "../hall/hall.ts";
import type { Change } from "../hall/roster/changes.ts";
import { faultAt } from "../hall/roster/fault-at.ts";
import { type Fault, type Roster, RosterError, readRoster, showFault } from "../hall/roster.ts";
import type { RosterInForce } from "../hall/roster-in-force.ts";
import { tlsOptions } from "./certificate.ts";
import type { Doors } from "./doors.ts";
import { FileWatch } from "./file-watch.ts";

/** Who wants the roster reloaded: `hall reload`, SIGHUP, or the file itself. */
export type ReloadCause = "command" | "signal" | "watch";

export interface ReloadParts {
  roster: RosterInForce;
  hall: Hall;
  doors: Pick<Doors, "takeUp">;
  clock: Clock;
  /** The hall's own, as it was at its start. */
  environment: NodeJS.ProcessEnv;
  /** The log is to say this and what is graver. */
  logLevel(level: Roster["log"]["level"]): void;
  noticed(what: string, detail?: unknown): void;
}

/** What a reload did. */
export interface Reloaded {
  file: string;
  /** An ISO date. */
  loadedAt: string;
  applied: Change[];
  /** What is in the file and does not hold before a restart, and why. */
  restart: Change[];
  warnings: Fault[];
  /** Slots that cannot be used, and why. */
  unavailable: { slot: string; why: string }[];
}

/**
 * Takes up the roster as its file is now: whole, or, where anything is wrong with it, not at all. All of it happens in
 * one go, so that nobody meets half of it, and no two reloads meet.
 */
export class Reload {
  readonly #parts: ReloadParts;
  readonly #watch: FileWatch;
  #rejected: { at: string; by: ReloadCause; faults: readonly Fault[] } | undefined;
  #restart: Change[] = [];

  constructor(parts: ReloadParts) {
    this.#parts = parts;
    this.#watch = new FileWatch({
      clock: parts.clock,
      stamp: () => this.#stamp,
      changed: () => this.attempt("watch"),
    });
    // What was changed since the hall read it is news.
    this.#watch.knows(this.#isChangedOnDisk ? "" : this.#stamp);
    this.#watchIfWanted();
  }

  /** As `now`, for whoever gets no answer: the log and the events tell of it. */
  attempt(by: ReloadCause): void {
    try {
      this.now(by);
    } catch (error) {
      // What is wrong with a roster is an event, and stands in the log as that.
      if (!(error instanceof RosterError)) this.#parts.noticed("the roster was not reloaded", error);
    }
  }

  /** Throws a RosterError with all that is wrong, or `shutting_down`; then nothing has changed. */
  now(by: ReloadCause): Reloaded {
    const { roster, hall, doors, clock, logLevel } = this.#parts;
    if (hall.stopping) throw shuttingDown();
    // Before it is read: what is written from now on is news again.
    this.#watch.knows(this.#stamp);
    const { next, tls } = this.#read(by);
    const at = clock.now();
    const changes = roster.takeUp(next, at);
    const { applied, restart } = changes;
    this.#rejected = undefined;
    this.#restart = restart;
    hall.rosterChanged(changes);
    doors.takeUp(tls);
    logLevel(next.log.level);
    this.#watchIfWanted();
    hall.events.emit("roster.reloaded", {
      by,
      applied: applied.map(({ key }) => key),
      restart: restart.map(({ key }) => key),
    });
    return {
      file: next.file,
      loadedAt: new Date(at).toISOString(),
      applied,
      restart,
      warnings: next.warnings,
      unavailable: next.slots.flatMap(({ name, unavailable }) =>
        unavailable === undefined ? [] : [{ slot: name, why: unavailable }],
      ),
    };
  }

  /** As `now`, for a client: what is wrong is an error that lists it, under `data.faults`. */
  asked(): Reloaded {
    try {
      return this.now("command");
    } catch (error) {
      if (!(error instanceof RosterError)) throw error;
      throw new RpcError(Code.invalidParams, error.message, { faults: error.faults });
    }
  }

  /** The roster in force, and the file. */
  get status(): object {
    const { file } = this.#parts.roster.now;
    return {
      file,
      loadedAt: new Date(this.#parts.roster.loadedAt).toISOString(),
      changedOnDisk: this.#isChangedOnDisk,
      ...(this.#restart.length > 0 ? { restart: this.#restart.map(({ key }) => key) } : {}),
      ...(this.#rejected ? { rejected: this.#rejected } : {}),
    };
  }

  /** The hall stops. */
  stop(): void {
    this.#watch.stop();
  }

  /** Everything that can fail. */
  #read(by: ReloadCause): { next: Roster; tls: ReturnType<typeof tlsOptions> | undefined } {
    const { roster, hall, clock, environment } = this.#parts;
    try {
      const next = readRoster(roster.now.file, environment, { knownAgents: knownAgentNames() });
      if (next.listen.tls) usable(next);
      const { tls } = roster.with(next).listen;
      return { next, tls: tls && tlsOptions(tls) };
    } catch (error) {
      const faults =
        error instanceof RosterError
          ? error.faults
          : [{ file: roster.now.file, path: "", message: messageOf(error) }];
      this.#rejected = { at: new Date(clock.now()).toISOString(), by, faults };
      hall.events.emit("roster.rejected", { by, faults: faults.map(showFault) });
      throw error instanceof RosterError ? error : new RosterError(faults);
    }
  }

  #watchIfWanted(): void {
    if (this.#parts.roster.now.watch) this.#watch.start();
    else this.#watch.stop();
  }

  get #stamp(): string {
    const { file, listen } = this.#parts.roster.now;
    const { cert, key, clientCa } = listen.tls ?? {};
    return [file, cert, key, clientCa].map((one) => (one === undefined ? "" : fileStamp(one))).join("\n");
  }

  get #isChangedOnDisk(): boolean {
    const { file, text } = this.#parts.roster.now;
    try {
      return fs.readFileSync(file, "utf8") !== text;
    } catch {
      // One that cannot be read is not the one that was.
      return true;
    }
  }
}

/** Throws a RosterError when the certificate of a roster cannot be used. */
function usable(roster: Roster): void {
  try {
    if (roster.listen.tls) tlsOptions(roster.listen.tls);
  } catch (error) {
    throw new RosterError([faultAt(roster, ["listen", "tls"], messageOf(error))]);
  }
}

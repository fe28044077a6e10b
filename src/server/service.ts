import { Notebook } from "../agents/adapters/notebook.ts";
import { Ledger } from "../agents/ledger.ts";
import { endOrphans } from "../agents/orphans.ts";
import { systemTable } from "../agents/system-table.ts";
import type { Clock } from "../ground/clock.ts";
import type { Disk } from "../ground/disk.ts";
import { thisProcess } from "../ground/process-identity.ts";
import { codeOf, messageOf } from "../ground/thrown.ts";
import { WatchedDisk } from "../ground/watched-disk.ts";
import { type Addresses, announce } from "../hall/addresses.ts";
import { Channels } from "../hall/channels.ts";
import { Hall } from "../hall/hall.ts";
import { masked } from "../hall/roster/exposure.ts";
import type { Roster } from "../hall/roster.ts";
import { RosterInForce } from "../hall/roster-in-force.ts";
import { slotAgents } from "../hall/slot-agents.ts";
import { openState, type State } from "../hall/state.ts";
import { Shares } from "../wire/shares.ts";
import { Admission } from "./admission.ts";
import { Control } from "./control.ts";
import { type Doors, openDoors } from "./doors.ts";
import { Reload } from "./reload.ts";
import type { Ends } from "./same-user.ts";
import { Tokens } from "./tokens.ts";
import { UnixListener } from "./unix-listener.ts";

export interface ServiceParts {
  roster: Roster;
  version: string;
  clock: Clock;
  disk: Disk;
  environment: NodeJS.ProcessEnv;
  log: ServiceLog;
  /** A client with the right to do so asked the hall to stop. */
  stopAsked(): void;
  /** Whether the hall's own user is at the other end: by the kernel's word, unless a test has another. */
  isSameUser?(ends: Ends): boolean;
}

/** Where a service says what it does; see `pino`. */
export interface ServiceLog {
  info(detail: object, message: string): void;
  warn(detail: object, message: string): void;
  debug(detail: object, message: string): void;
  /** The least that it says; a reload may change it. */
  level?: string;
}

/** Events of each turn that its end says again: writing a line of log takes as long as relaying ten updates. */
const OFTEN: ReadonlySet<string> = new Set(["turn.queued", "turn.started"]);

const levelOf = (event: string): "debug" | "info" | "warn" => {
  if (event === "roster.rejected") return "warn";
  return OFTEN.has(event) ? "debug" : "info";
};

interface Opened {
  hall: Hall;
  roster: RosterInForce;
  reload: Reload;
  state: State;
  addresses: Addresses;
  listeners: { close(): void }[];
  /** Those that stay open until the hall has stopped. */
  windows: { close(): void }[];
  unannounce(): void;
}

/** A hall with its doors open. */
export class Service {
  readonly hall: Hall;
  readonly addresses: Addresses;
  readonly roster: RosterInForce;
  readonly reload: Reload;
  readonly #parts: Opened;
  #stopped: Promise<void> | undefined;

  private constructor(parts: Opened) {
    this.hall = parts.hall;
    this.addresses = parts.addresses;
    this.roster = parts.roster;
    this.reload = parts.reload;
    this.#parts = parts;
  }

  /** Rejects with a sentence: the state directory is another hall's, an address is taken. */
  static async start(parts: ServiceParts): Promise<Service> {
    const { version, clock, environment, log } = parts;
    const roster = new RosterInForce(parts.roster, clock.now());
    const { folder, file } = parts.roster;
    const disk = new WatchedDisk(parts.disk, clock, (trouble) => {
      if (trouble)
        log.warn({ error: trouble.message }, "the state folder cannot be written: turns fail until it can");
      else log.warn({}, "the state folder can be written again");
    });
    const state = await openState(roster.now.state, { disk, clock, version, environment }).catch(
      (error: unknown) => {
        throw stateTrouble(roster.now.state, error);
      },
    );
    const listeners: { close(): void }[] = [];
    const windows: { close(): void }[] = [];
    let doors: Doors | undefined;
    let reload: Reload | undefined;
    try {
      const table = systemTable();
      const shares = new Shares();
      const ledger = new Ledger(disk, state.folder, state.id);
      const orphans = await endOrphans(ledger, { clock, table });
      if (orphans.pids.length > 0)
        log.warn({ pids: orphans.pids }, "ended agent processes that an earlier hall left behind");
      const noticed = (what: string, detail?: unknown): void => log.warn(describe(detail), what);
      const notebook = new Notebook(disk, state.folder);
      const control = new Control({
        hall: () => hall,
        stopAsked: parts.stopAsked,
        reload: () => reloading,
        diskTrouble: () => disk.trouble,
      });
      const tokens = new Tokens(() => roster.now.tokensFile, noticed);
      const admission = new Admission({
        tokens,
        clock,
        events: () => hall.events,
        clients: () => hall.clients,
      });
      const hall: Hall = new Hall({
        roster,
        gate: admission,
        state,
        clock,
        disk,
        version,
        channels: new Channels({
          socketFor: (name) => state.runSocket(name),
          lineLimit: () => roster.now.limits.line,
          noticed,
        }),
        processes: { list: () => table.list().filter((row) => !row.zombie) },
        agents: (slot) =>
          slotAgents(slot, {
            clock,
            ledger,
            table,
            shares,
            host: environment,
            folder,
            state: state.folder,
            notebook,
            disk,
            lineLimit: () => roster.now.limits.line,
            mask: (text) => masked(text, roster.now.secrets),
            onStderr: (name, line) => log.debug({ slot: name }, line),
            noticed,
          }),
        control: (call, client) => control.take(call, client),
        noticed,
      });
      hall.events.watch((type, payload) => log[levelOf(type)]({ event: type, ...payload }, type));
      const accept = hall.accept.bind(hall);
      const report = (error: Error): void => noticed("a listener met trouble", error);
      const reloading = new Reload({
        roster,
        hall,
        doors: { takeUp: (certificates) => doors?.takeUp(certificates) },
        clock,
        environment,
        logLevel: (level) => {
          log.level = level;
        },
        noticed,
      });
      reload = reloading;
      doors = await openDoors({
        ...parts,
        roster,
        disk,
        shares,
        hall,
        lost: (address) => noticed(`${address} has not answered for 40 s and is taken for gone`),
        tokens,
        admission,
        state,
        report,
      });
      listeners.push(...doors.listeners);
      windows.push(...doors.windows);
      // The last door: whoever started this hall takes it for open when this one is.
      listeners.push(await UnixListener.open({ path: state.socketPath, shares, accept, report }));
      const addresses = { ...doors.addresses, unix: state.socketPath };
      const running = { ...thisProcess(), state: state.folder, roster: file, addresses, version };
      const unannounce = announce(running, disk, environment);
      const { tcp, http, unix } = addresses;
      hall.slots.wake();
      hall.events.emit("hall.started", {
        unix,
        ...(tcp === null ? {} : { tcp }),
        ...(http === null ? {} : { http }),
      });
      hall.sessions.takeUpWaiting();
      return new Service({
        hall,
        roster,
        reload: reloading,
        state,
        addresses,
        listeners,
        windows,
        unannounce,
      });
    } catch (error) {
      reload?.stop();
      for (const listener of [...listeners, ...windows]) listener.close();
      state.release(false);
      throw stateTrouble(state.folder, error);
    }
  }

  /** Drains for `drain` ms, then ends what is left. Called again with less it hurries. */
  stop(drain: number): Promise<void> {
    if (this.#stopped) this.hall.hurry();
    this.#stopped ??= this.#stop(drain);
    return this.#stopped;
  }

  async #stop(drain: number): Promise<void> {
    const { listeners, windows, state, unannounce } = this.#parts;
    this.reload.stop();
    for (const listener of listeners) listener.close();
    unannounce();
    const synced = await this.hall.stop(drain);
    for (const window of windows) window.close();
    state.release(synced);
  }
}

/** What the disk does not let us do there, as a sentence; anything else as it is. */
function stateTrouble(folder: string, error: unknown): unknown {
  const advice = ADVICE[codeOf(error) ?? ""];
  if (advice === undefined) return error;
  return new Error(`The state directory ${folder} cannot be used (${messageOf(error)}): ${advice}.`, {
    cause: error,
  });
}

const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: "free space there",
  EDQUOT: "this user's share of that disk is used up; free some of it",
  EROFS: "name one that can be written, as `state` in the roster",
  EACCES: "make it this user's, or name another as `state` in the roster",
};

function describe(detail: unknown): object {
  if (detail === undefined) return {};
  return detail instanceof Error ? { err: detail } : { detail };
}

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import type { Clock } from "../ground/clock.ts";
import type { Shares } from "../wire/shares.ts";
import { StreamTransport } from "../wire/streams.ts";
import type { Transport } from "../wire/transport.ts";
import { untilGone } from "./ending.ts";
import { Family, type Send } from "./family.ts";
import { markOf } from "./mark.ts";
import { afterOutput } from "./output-end.ts";
import type { ProcessIdentity, ProcessTable } from "./process-table.ts";
import type { RunningAgent } from "./running-agent.ts";
import { StderrTail } from "./stderr-tail.ts";
import { endTools, snapshotOf, type ToolsSnapshot } from "./tools.ts";

export interface Exit {
  /** Null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** How long a stop waits, in milliseconds, before its next step. */
export interface Graces {
  /** After stdin was closed. */
  close: number;
  /** After SIGTERM. */
  terminate: number;
}

/** Who keeps the numbers of processes: a hall's `Ledger`, which outlives it, or somebody with less to remember. */
export interface ProcessNumbers {
  /** The first half of each mark. */
  readonly state: string;
  /** Takes the next number. Throws when it cannot be kept. */
  begin(slot: string): number;
  spawned(number: number, process: ProcessIdentity): void;
  /** Nothing of this process is left. */
  ended(number: number): void;
}

export interface ProcessParts {
  clock: Clock;
  ledger: ProcessNumbers;
  table: ProcessTable;
  /** Without, it is read as if nobody else was there. */
  shares?: Shares;
  /** Each line of its stderr, for the log. */
  onStderr?: (line: string) => void;
  /** It was sent SIGKILL, while it ran: once. */
  onKill?: () => void;
  /** How what is left is ended when the agent itself has ended unasked; `close` is how long it may go by itself. */
  sweep?: Graces;
  /** What went wrong beside the way and ends nothing: one sentence, for the log. */
  onTrouble?: (sentence: string) => void;
  send?: Send;
}

/** A child that was started, and what is known of it besides. */
export interface Spawned {
  child: ChildProcessWithoutNullStreams & { readonly pid: number };
  /** Its number in the ledger. */
  number: number;
  /** Undefined when the process table could not tell: then only its group and its mark lead to it. */
  startTime: string | undefined;
  /** See `KnownAgent`. */
  daemon?: string | undefined;
}

const STOP: Graces = { close: 3_000, terminate: 5_000 };
/** For what is left when the agent itself has ended unasked: there is no stdin left to close. */
const SWEEP: Graces = { close: 0, terminate: 2_000 };
/** How long a SIGKILL may take to show: more than the system needs, unless a process hangs in it. */
const KILL_MS = 5_000;

/**
 * One agent process, from its spawn until nothing of it is left: the child, its process group, and whatever else
 * came of it. It ends once, and what it started ends with it, whether it was stopped or went by itself.
 */
export class AgentProcess implements RunningAgent {
  readonly number: number;
  readonly mark: string;
  readonly pid: number;
  /** Its stdin and stdout. To be started at once: what nobody reads is lost when the process ends. */
  readonly transport: Transport;
  readonly #clock: Clock;
  readonly #ledger: ProcessNumbers;
  readonly #table: ProcessTable;
  readonly #trouble: (sentence: string) => void;
  #onKill: () => void;
  readonly #sweep: Graces;
  readonly #family: Family;
  readonly #stderr: StderrTail;
  #exit: Exit | undefined;
  #told = false;
  #asked = false;
  #rings: ((exit: Exit) => void)[] = [];
  #ending: Promise<void> | undefined;
  #hurried = false;
  #news = (): void => {};

  constructor({ child, number, startTime, daemon }: Spawned, parts: ProcessParts) {
    const { clock, ledger, table, shares, send, onStderr, onKill, onTrouble, sweep = SWEEP } = parts;
    const { pid } = child;
    this.#clock = clock;
    this.#ledger = ledger;
    this.#table = table;
    this.#trouble = onTrouble ?? (() => {});
    this.#onKill = onKill ?? (() => {});
    this.#sweep = sweep;
    this.number = number;
    this.mark = markOf(ledger.state, number);
    this.pid = pid;
    this.transport = new StreamTransport(child.stdout, child.stdin, shares);
    const leaders = startTime === undefined ? [] : [{ pid, startTime }];
    this.#family = new Family({ table, leaders, groups: [pid], marks: [this.mark], daemon, send });
    this.#stderr = new StderrTail(onStderr);
    child.stderr.on("data", (bytes: Buffer) => this.#stderr.push(bytes));
    child.stderr.on("error", (error) => this.#trouble(`The stderr of ${this.mark} broke: ${error.message}.`));
    child.on("error", (error) => this.#trouble(`Node reports of ${this.mark}: ${error.message}.`));
    child.once("exit", (code, signal) => {
      this.#exited({ code, signal });
      afterOutput([child.stdout, child.stderr], clock, () => this.#tell());
    });
  }

  /** The last lines of its stderr, oldest first. */
  stderrTail(lines = 20): string[] {
    return this.#stderr.last(lines);
  }

  /** How the child ended; undefined while it runs. */
  get exit(): Exit | undefined {
    return this.#exit;
  }

  /** Whether the child runs, as the system knows it: sooner than its exit is told. */
  get isAlive(): boolean {
    return this.#exit === undefined && this.#table.find(this.pid)?.zombie === false;
  }

  /** It was told to end, or sent a signal, before it did. */
  get asked(): boolean {
    return this.#asked;
  }

  /** Calls `ring` once: when the child has ended and all that it wrote was delivered; at once if that is so. */
  onExit(ring: (exit: Exit) => void): void {
    if (this.#exit && this.#told) ring(this.#exit);
    else this.#rings.push(ring);
  }

  /** SIGINT to its process group. */
  interrupt(): void {
    this.#signalGroup("SIGINT");
  }

  /** SIGTERM to its process group. */
  terminate(): void {
    this.#signalGroup("SIGTERM");
  }

  /** SIGKILL to all that came of it. Resolves as `stop` does. */
  kill(): Promise<void> {
    this.#hurried = true;
    this.#news();
    return this.stop();
  }

  /**
   * Ends it: closes stdin, waits, SIGTERM, waits, SIGKILL, each signal to all that came of it. Resolves when nothing
   * is left, also when it had ended by itself: what it left behind can still write, so nothing should take its
   * place sooner. What not even SIGKILL ends within 5 s is told to the log, and waits for the hall's next start.
   */
  stop(graces: Graces = STOP): Promise<void> {
    if (!this.#exit) this.#asked = true;
    this.#ending ??= this.#end(graces);
    return this.#ending;
  }

  /** What of it runs now: `endToolsSince` leaves it alone. Undefined when that cannot be told. */
  toolsSnapshot(): ToolsSnapshot | undefined {
    return this.#listed(() => snapshotOf(this.#family));
  }

  /**
   * Ends what a cancelled turn left running in sessions of its own. Resolves when it is gone; at once, and with
   * nothing ended, when there was no telling what ran before.
   */
  async endToolsSince(snapshot: ToolsSnapshot | undefined): Promise<void> {
    if (snapshot === undefined) return;
    try {
      await endTools(this.#family, snapshot, this.#clock);
    } catch (error) {
      this.#trouble(`The tools of ${this.mark} could not be ended: ${String(error)}.`);
    }
  }

  #signalGroup(signal: NodeJS.Signals): void {
    if (this.#exit) return;
    this.#asked = true;
    this.#note();
    this.#family.signalGroups(signal);
  }

  /** Before whatever may end a part of it, and at the exit: afterwards there may be no telling what came of what. */
  #note(): void {
    this.#listed(() => this.#family.living());
  }

  #listed<Result>(list: () => Result): Result | undefined {
    try {
      return list();
    } catch (error) {
      this.#trouble(`What came of ${this.mark} could not be listed: ${String(error)}.`);
      return undefined;
    }
  }

  #closeInput(): void {
    this.#note();
    this.transport.end();
  }

  #exited(exit: Exit): void {
    this.#exit = exit;
    this.#note();
    this.#family.groupIsOver(this.pid);
    this.#news();
    // An end that is under way takes its next look; else what is left is swept up now.
    void this.stop(this.#sweep);
  }

  #tell(): void {
    this.#stderr.end();
    this.#told = true;
    const rings = this.#rings;
    this.#rings = [];
    if (this.#exit) for (const ring of rings) ring(this.#exit);
  }

  #killAll(): void {
    this.#family.signalAll("SIGKILL");
    // What it left behind when it went by itself is no part of its story.
    if (!this.#exit) this.#onKill();
    this.#onKill = () => {};
  }

  async #end(graces: Graces): Promise<void> {
    const family = this.#family;
    try {
      const gone = await untilGone({
        clock: this.#clock,
        left: () => this.#exit === undefined || family.living().length > 0,
        hurried: () => this.#hurried,
        onNews: (ring) => {
          this.#news = ring;
        },
        steps: [
          { act: () => this.#closeInput(), wait: graces.close },
          { act: () => family.signalAll("SIGTERM"), wait: graces.terminate },
          { act: () => this.#killAll(), wait: KILL_MS, final: true },
        ],
      });
      if (gone) this.#ledger.ended(this.number);
      else this.#trouble(`Not even SIGKILL ended ${family.living().map((row) => row.pid)} of ${this.mark}.`);
    } catch (error) {
      this.#trouble(`The end of ${this.mark} went wrong: ${String(error)}.`);
      family.signalGroups("SIGKILL");
    }
  }
}

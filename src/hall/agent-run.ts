import { messageOf } from "../ground/thrown.ts";
import type { ProcessIds } from "./events.ts";

/** What is told of an agent: a line of its stderr, or what became of it. */
export interface LogEntry {
  /** Counts up over all that is told in a hall. */
  readonly number: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly what: "stderr" | "started" | "bound" | "killed" | "exited" | "failed" | "noticed";
  readonly text: string;
  /** Of the program that it is about, where there is one. */
  readonly pid?: number;
  readonly process?: number;
}

/** Bounds of what is kept of one run, the newest last. */
const KEPT_ENTRIES = 500;
const KEPT_BYTES = 64 * 1024;

/** What all runs of a hall have in common: one object, as there may be hundreds of them. */
export interface RunListener {
  /** Something is to be told of a run: makes an entry of it. */
  told(run: AgentRun, entry: Omit<LogEntry, "number" | "at">): LogEntry;
  started(ids: ProcessIds): void;
  killed(ids: ProcessIds): void;
  exited(ids: ProcessIds, exit: { code: number | null; signal: string | null }): void;
}

/** What is told of one agent, from its start to its end: its own words, and what became of it. */
export class AgentRun {
  readonly slot: string;
  /** The sessions that it served, or serves. */
  readonly sessions = new Set<string>();
  readonly #listener: RunListener;
  readonly #mask: (text: string) => string;
  readonly #entries: LogEntry[] = [];
  #bytes = 0;
  #dropped = 0;
  #over = false;

  /** @param mask replaces what the hall knows to be secret */
  constructor(slot: string, mask: (text: string) => string, listener: RunListener) {
    this.slot = slot;
    this.#mask = mask;
    this.#listener = listener;
  }

  get entries(): readonly LogEntry[] {
    return this.#entries;
  }

  /** How many older ones made way. */
  get dropped(): number {
    return this.#dropped;
  }

  /** The agent is gone, or never came to be. */
  get over(): boolean {
    return this.#over;
  }

  /** The session, where it is a single one. */
  get sessionId(): string | undefined {
    const [only] = this.sessions;
    return this.sessions.size === 1 ? only : undefined;
  }

  serves(sessionId: string): void {
    if (this.sessions.has(sessionId)) return;
    this.sessions.add(sessionId);
    this.#tell("bound", `serves session ${sessionId}`);
  }

  /** A program of it has started; what it says and how it ends is told to the answer. */
  program(pid: number, process: number): ProgramStory {
    const listener = this.#listener;
    const ids = (): ProcessIds => {
      const { slot, sessionId } = this;
      return { slot, pid, process, ...(sessionId === undefined ? {} : { sessionId }) };
    };
    this.#tell("started", "started", { pid, process });
    listener.started(ids());
    return {
      said: (line) => this.#tell("stderr", line, { pid, process }),
      killed: () => {
        this.#tell("killed", "was sent SIGKILL", { pid, process });
        listener.killed(ids());
      },
      exited: ({ code, signal }) => {
        const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
        this.#tell("exited", how, { pid, process });
        listener.exited(ids(), { code, signal });
      },
    };
  }

  end(): void {
    this.#over = true;
  }

  /** It could not be started, or not be made ready. */
  failed(error: unknown): void {
    this.#tell("failed", messageOf(error));
  }

  /** Something is odd about it. */
  noticed(what: string): void {
    this.#tell("noticed", what);
  }

  #tell(what: LogEntry["what"], text: string, program: { pid?: number; process?: number } = {}): void {
    const entry = this.#listener.told(this, { what, text: this.#mask(text), ...program });
    this.#entries.push(entry);
    this.#bytes += entry.text.length;
    while (this.#entries.length > KEPT_ENTRIES || this.#bytes > KEPT_BYTES) {
      this.#bytes -= this.#entries.shift()?.text.length ?? 0;
      this.#dropped += 1;
    }
  }
}

/** What becomes of one program of an agent. */
export interface ProgramStory {
  /** A line of its stderr. */
  said(line: string): void;
  killed(): void;
  exited(exit: { code: number | null; signal: string | null }): void;
}

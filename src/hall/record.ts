import { type Fields, isFields } from "../acp/checks.ts";
import { parsed } from "../ground/json.ts";
import type { ErrorBody } from "../wire/message.ts";
import { journalFailed } from "./journal.ts";
import type { LineFile } from "./line-file.ts";

/** What became of a turn: its whole result or error, as it was answered. */
export type Outcome = { result: Fields } | { error: ErrorBody };

/** How a session got its agent session: the agent's own way, or ours where it has none. */
export type Way = "new" | "resume" | "load" | "transcript" | "fresh";

/** What the hall itself must remember of a session: a line each in `session.jsonl`. `at` is ms since the epoch. */
export type Entry =
  | {
      type: "created";
      at: number;
      slot: string;
      cwd: string;
      additionalDirectories: string[];
      owner: string;
      journal: string;
      /** Under which its client asked for it (`hall/key`). */
      key?: string;
    }
  | { type: "bound"; at: number; slot: string; agentSession: string; way: Way }
  /** The agent session was given up, with the settings in it; the next is a new one. */
  | { type: "reset"; at: number }
  | { type: "titled"; at: number; title: string | null; by: "prompt" | "agent" }
  /** The modes and options that the agent offers, with what is in force. */
  | { type: "settings"; at: number; modes?: unknown; configOptions?: unknown }
  /**
   * `digest`: of the prompt's blocks, by which a key that is used for another prompt is told. `keyed`: its client
   * gave the turn's name, and finds it again by that.
   */
  | { type: "accepted"; at: number; turn: string; digest: string; keyed?: true }
  /** `from`, `to`: where the user's own lines stand. */
  | { type: "started"; at: number; turn: string; from: number; to: number }
  | { type: "ended"; at: number; turn: string; to: number; outcome: Outcome }
  /** `via`: the agent's own question, or one of the per-run socket. */
  | {
      type: "asked";
      at: number;
      turn?: string;
      question: string;
      title?: string;
      kind?: string;
      toolCall?: string;
      via?: "agent" | "socket";
    }
  /** `by`: the client that answered. `rule`: the rule that did. `latencyMs`: since it was asked. */
  | {
      type: "decided";
      at: number;
      question: string;
      how: string;
      by?: string;
      rule?: string;
      option?: string;
      allowed: boolean;
      latencyMs?: number;
    }
  /** A person allows more of the same in this session: `patterns`, under a number of its own. */
  | { type: "ruled"; at: number; rule: number; patterns: string[]; question: string; by: string }
  | { type: "unruled"; at: number; rule: number }
  /** Bytes that clients may hold are gone: the journal, which ends at `end`, has another name from here on. */
  | { type: "renamed"; at: number; journal: string; end?: number };

/** `session.jsonl`: read once when a session is taken up, written before what it tells of goes out. */
export class SessionRecord {
  readonly #file: LineFile;
  #unreadable = 0;

  constructor(file: LineFile) {
    this.#file = file;
  }

  hold(): () => void {
    return this.#file.hold();
  }

  write(entry: Entry): void {
    try {
      this.#file.append(Buffer.from(`${JSON.stringify(entry)}\n`));
    } catch (error) {
      throw journalFailed(error);
    }
  }

  sync(): void {
    this.#file.sync();
  }

  close(): void {
    this.#file.close();
  }

  /** Bytes of a torn last line, and lines that could not be read, as `entries` met them. */
  get damage(): { recordTorn: number; unreadable: number } {
    return { recordTorn: this.#file.tornBytes, unreadable: this.#unreadable };
  }

  /** All entries, oldest first. A line that cannot be read is passed over: one bad line loses no session. */
  *entries(): Iterable<Entry> {
    const text = this.#file.read(0, this.#file.end).toString("utf8");
    for (const line of text.split("\n")) {
      if (line === "") continue;
      const entry = readEntry(line);
      if (entry) yield entry;
      else this.#unreadable += 1;
    }
  }
}

function readEntry(line: string): Entry | undefined {
  const value = parsed(line);
  // Our own file, in a folder that only we can write: its shape is what `write` gave it.
  return isFields(value) && "type" in value && typeof value.at === "number" ? (value as Entry) : undefined;
}

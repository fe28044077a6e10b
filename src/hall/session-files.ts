import path from "node:path";
import { type Fields, isFields } from "../acp/checks.ts";
import { failure, HallFailure } from "../acp/errors.ts";
import { kindOf, OpenToolCalls, updateOf } from "../acp/updates.ts";
import { parsed } from "../ground/json.ts";
import { Journal, journalFailed } from "./journal.ts";
import { KeptPrompts } from "./kept-prompts.ts";
import { LineFile, type LineFileParts } from "./line-file.ts";
import { hallLine, toolCallClosed } from "./lines-of-ours.ts";
import { SessionMemory, type TurnMemory } from "./memory.ts";
import { type Entry, SessionRecord } from "./record.ts";

/** All ids are of one length, so that a copied session's lines keep their places; and are safe as folder names. */
const ID = /^hs_[0-9a-f]{32}$/;

export const isSessionId = (id: string): boolean => ID.test(id);

const SCAN_BYTES = 256 * 1024;

export interface FilesParts extends LineFileParts {
  /** The folder of all sessions. */
  folder: string;
}

/** How a session of before was found. */
export interface Recovered {
  interrupted: TurnMemory[];
  /** Bytes of a torn last line, of the journal and of the record, that were cut off. */
  torn: number;
  recordTorn: number;
  /** Bytes that the journal once had, by what the record tells, and has no longer. */
  lost: number;
  /** Lines of the record that could not be read, and were passed over. */
  unreadable: number;
}

/** A session on disk: its journal, its record, and what its agent must be given again. */
export class SessionFiles {
  readonly id: string;
  readonly folder: string;
  readonly journal: Journal;
  readonly memory = new SessionMemory();
  readonly prompts: KeptPrompts;
  readonly #record: SessionRecord;
  readonly #parts: FilesParts;

  private constructor(id: string, parts: FilesParts) {
    if (!isSessionId(id)) throw new Error(`${JSON.stringify(id)} is no session id`);
    this.id = id;
    this.#parts = parts;
    this.folder = path.join(parts.folder, id);
    this.journal = new Journal(new LineFile(path.join(this.folder, "updates.jsonl"), parts));
    this.#record = new SessionRecord(new LineFile(path.join(this.folder, "session.jsonl"), parts));
    this.prompts = new KeptPrompts(this.folder, parts);
  }

  static create(
    id: string,
    created: Entry & { type: "created" },
    mcpServers: readonly Fields[],
    parts: FilesParts,
  ): SessionFiles {
    const files = new SessionFiles(id, parts);
    try {
      parts.disk.makeFolder(files.folder);
      files.write(created);
      files.keepMcpServers(mcpServers);
      return files;
    } catch (error) {
      files.remove();
      throw error instanceof HallFailure ? error : journalFailed(error);
    }
  }

  /** Takes up a session of before. Undefined when there is none, or what is there cannot be read as one. */
  static open(id: string, parts: FilesParts): SessionFiles | undefined {
    if (!isSessionId(id)) return undefined;
    const files = new SessionFiles(id, parts);
    if (!parts.disk.exists(path.join(files.folder, "session.jsonl"))) return undefined;
    for (const entry of files.entries()) files.memory.take(entry);
    return files.memory.slot === "" ? undefined : files;
  }

  get hasOpenTurns(): boolean {
    return [...this.memory.turns.values()].some((turn) => !turn.ended);
  }

  /** Takes a session from the disk that nobody has in memory. */
  static remove(id: string, parts: FilesParts): void {
    if (isSessionId(id)) parts.disk.remove(path.join(parts.folder, id));
  }

  /** Writes an entry, then knows it. Throws `journal_failed`. */
  write(entry: Entry): void {
    this.#record.write(entry);
    this.memory.take(entry);
  }

  /** All that was recorded, oldest first. */
  entries(): Iterable<Entry> {
    return this.#record.entries();
  }

  /** Keeps both files open while much is written. */
  hold(): () => void {
    const releases = [this.#record.hold(), this.journal.file.hold()];
    return () => {
      for (const release of releases) release();
    };
  }

  /** To the platter, both. Throws `journal_failed`. */
  sync(): void {
    try {
      this.journal.file.sync();
      this.prompts.sync();
      this.#record.sync();
    } catch (error) {
      throw journalFailed(error);
    }
  }

  /** What the agent must be given again; it holds secrets. Throws `journal_failed`. */
  keepMcpServers(servers: readonly Fields[]): void {
    try {
      if (servers.length > 0)
        this.#parts.disk.replace(this.#paramsFile, JSON.stringify({ mcpServers: servers }));
      else this.#parts.disk.remove(this.#paramsFile);
    } catch (error) {
      throw journalFailed(error);
    }
  }

  /** Throws `restore_failed` when they cannot be read: an agent without them would not be the same. */
  mcpServers(): Fields[] {
    const bytes = this.#parts.disk.read(this.#paramsFile);
    const params = bytes ? parsed(bytes.toString("utf8")) : { mcpServers: [] };
    if (isFields(params) && Array.isArray(params.mcpServers)) return params.mcpServers.filter(isFields);
    throw failure(
      "restore_failed",
      "The session's MCP servers cannot be read any more; load the session with them to go on.",
      { slot: this.memory.slot },
    );
  }

  /**
   * After a crash: what a turn that was cut off had streamed stays, its open tool calls are closed, and it is
   * `interrupted`; it is never sent again. What had only waited goes on waiting, if its client can find it again and
   * `keepWaiting`; else it is interrupted too. With `outlives` the agent is another hall, and the turn goes on there.
   */
  recover(now: number, keepWaiting: boolean, outlives = false): Recovered {
    const end = this.journal.end;
    const lost = Math.max(0, this.memory.reach - end);
    const waits = (turn: TurnMemory): boolean =>
      keepWaiting && turn.keyed && !turn.started && this.prompts.read(turn.id) !== undefined;
    const goesOn = ({ started, ended }: TurnMemory): boolean =>
      // Without the user's words in the journal the agent never got them.
      outlives && !ended && started !== undefined && started.to <= end;
    const interrupted = [...this.memory.turns.values()].filter(
      (turn) => !turn.ended && !waits(turn) && !goesOn(turn),
    );
    // From the last end on that is whole: a power cut may have taken the word that a turn started, or its last lines.
    const open = [...this.memory.turns.values()].some(goesOn);
    if (!open && (interrupted.length > 0 || lost > 0)) {
      const ends = [...this.memory.turns.values()].map((turn) => turn.ended?.to ?? 0);
      this.#closeToolCalls(ends.reduce((last, to) => (to <= end ? Math.max(last, to) : last), 0));
    }
    for (const turn of interrupted) {
      this.write({
        type: "ended",
        at: now,
        turn: turn.id,
        to: this.journal.end,
        outcome: { error: cutOff(this.memory.slot).body },
      });
    }
    this.prompts.dropAllBut(this.memory.waiting.keys());
    return { interrupted, torn: this.journal.file.tornBytes, lost, ...this.#record.damage };
  }

  close(): void {
    this.#record.close();
    this.prompts.close();
    this.journal.file.close();
  }

  remove(): void {
    this.close();
    this.#parts.disk.remove(this.folder);
  }

  get #paramsFile(): string {
    return path.join(this.folder, "params.json");
  }

  #closeToolCalls(from: number): void {
    const open = new OpenToolCalls();
    const { end, file } = this.journal;
    for (let cursor = from; cursor < end; ) {
      const lines = file.read(cursor, end, SCAN_BYTES);
      if (lines.length === 0) break;
      cursor += lines.length;
      for (const line of lines.toString("utf8").split("\n")) {
        if (!line.includes('"tool_call')) continue;
        const update = updateOf(readParams(line));
        open.see(kindOf(update), update);
      }
    }
    for (const toolCallId of open.takeAll())
      this.journal.gather(hallLine(this.id, toolCallClosed(toolCallId)));
    this.journal.commit();
  }
}

function readParams(line: string): unknown {
  const message = parsed(line);
  return isFields(message) ? message.params : undefined;
}

export const cutOff = (slot: string): HallFailure =>
  failure("interrupted", "The hall ended while this turn was open; it was not sent again.", { slot });

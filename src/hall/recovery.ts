import { RpcError } from "../acp/errors.ts";
import { type Summary, summaryOfFiles } from "./catalog.ts";
import { journalFailed } from "./journal.ts";
import { type FilesParts, SessionFiles } from "./session-files.ts";
import type { Slots } from "./slots.ts";

export interface RecoveryParts {
  slots: Slots;
  /** The hall before this one was stopped, and not killed. */
  wasClean: boolean;
  /** Another name for a journal whose bytes are not those of before. */
  newName(): string;
  noticed(what: string, detail?: unknown): void;
}

/** Takes up sessions of an earlier hall: reads them from the disk, and mends what it left in the middle. */
export class Recovery {
  /** Those that are on the disk and could not be read at the start. */
  readonly unread = new Set<string>();
  readonly #files: FilesParts;
  readonly #parts: RecoveryParts;

  constructor(files: FilesParts, parts: RecoveryParts) {
    this.#files = files;
    this.#parts = parts;
  }

  /** All that are on the disk, for an index that cannot be trusted. */
  *readAll(): Iterable<Summary> {
    const { disk, folder } = this.#files;
    for (const id of disk.list(folder)) {
      try {
        const files = SessionFiles.open(id, this.#files);
        if (!files) continue;
        this.#mendTurns(files);
        yield summaryOfFiles(files);
      } catch (error) {
        // One bad file keeps no hall from starting.
        this.#parts.noticed(`session ${id} cannot be read and is left out`, error);
        this.unread.add(id);
      }
    }
  }

  /** A session of before, as it stands on the disk, mended. Throws `journal_failed` when it cannot be read or mended. */
  takeUp(id: string): SessionFiles | undefined {
    try {
      const files = SessionFiles.open(id, this.#files);
      if (files) this.#recover(files);
      return files;
    } catch (error) {
      throw error instanceof RpcError ? error : journalFailed(error);
    }
  }

  /** Where that fails, as on a full disk, it is tried again when somebody wants the session. */
  #mendTurns(files: SessionFiles): void {
    if (!files.hasOpenTurns) return;
    try {
      this.#recover(files);
    } catch (error) {
      this.#parts.noticed(`session ${files.id} cannot be mended yet`, error);
    }
  }

  #recover(files: SessionFiles): void {
    const { clock } = this.#files;
    const { newName, noticed, slots, wasClean } = this.#parts;
    const { onRestart, run } = slots.ofSession(files.memory.slot).config;
    const { interrupted, torn, recordTorn, unreadable, lost } = files.recover(
      clock.now(),
      onRestart === "run",
      run.kind === "hall",
    );
    const { id, journal } = files;
    for (const turn of interrupted) noticed(`turn ${turn.id} of ${id} was interrupted`);
    if (recordTorn > 0) noticed(`the last line of ${id}'s record was torn and has been cut off`);
    if (unreadable > 0) noticed(`${unreadable} lines of ${id}'s record cannot be read and are passed over`);
    if (torn > 0) noticed(`the last line of ${id}'s journal was torn and has been cut off`);
    if (lost > 0) noticed(`${lost} bytes are missing at the end of ${id}'s journal`);
    // What a hall was killed in writing nobody was shown; what was whole at a clean stop was damaged since.
    if (lost > 0 || (torn > 0 && wasClean))
      files.write({ type: "renamed", at: clock.now(), journal: newName(), end: journal.end });
  }
}

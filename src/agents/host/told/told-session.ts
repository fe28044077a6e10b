import { type Fields, isFields } from "../../../acp/checks.ts";
import { titleOf } from "../../../acp/title.ts";
import { kindOf, OpenToolCalls } from "../../../acp/updates.ts";
import type { Clock } from "../../../ground/clock.ts";
import type { Disk, OpenFile } from "../../../ground/disk.ts";
import { parsed } from "../../../ground/json.ts";
import { messageOf } from "../../../ground/thrown.ts";

/** Bytes of updates that are kept; the oldest go when there are twice as many. */
const KEPT_BYTES = 4 * 2 ** 20;

export interface ToldSessionParts {
  /** Of the file of updates, one a line. */
  updates: string;
  /** Of the file that says which session that is. */
  about: string;
  /** For the list, from the session's first turn on. */
  cwd: string;
  additionalDirectories: readonly string[];
  disk: Disk;
  clock: Clock;
  /** Something could not be kept. */
  notice(what: string): void;
  keptBytes?: number;
}

/**
 * What a session's client was told, and what the person said, kept for a client that loads the session. A turn that
 * cannot be kept is played all the same.
 */
export class ToldSession {
  readonly #parts: ToldSessionParts;
  readonly #keptBytes: number;
  #file: OpenFile | undefined;
  #hasFailed = false;

  constructor(parts: ToldSessionParts) {
    this.#parts = parts;
    this.#keptBytes = parts.keptBytes ?? KEPT_BYTES;
  }

  /** A turn begins, with the person's words. */
  begin(blocks: readonly Fields[]): void {
    this.#try(() => {
      this.#describe(blocks);
      this.#file = this.#parts.disk.open(this.#parts.updates);
      this.#mendEnd(this.#file);
    });
    for (const content of blocks) this.add({ sessionUpdate: "user_message_chunk", content });
  }

  add(update: Fields): void {
    this.#try(() => {
      if (!this.#file) return;
      append(this.#file, Buffer.from(`${JSON.stringify(update)}\n`));
      if (this.#file.size() > 2 * this.#keptBytes) this.#forgetOldest(this.#file);
    });
  }

  /** The turn is over. */
  end(): void {
    this.#try(() => {
      const file = this.#file;
      this.#file = undefined;
      file?.close();
    });
  }

  /** All that is kept, oldest first; a tool call that was open when the process ended counts as failed. */
  read(): Fields[] {
    const lines = this.#parts.disk.read(this.#parts.updates)?.toString().split("\n") ?? [];
    const updates = lines.map(parsed).filter(isFields);
    const calls = new OpenToolCalls();
    for (const update of updates) calls.see(kindOf(update), update);
    const ends = calls.takeAll().map((toolCallId) => ({
      sessionUpdate: "tool_call_update",
      toolCallId,
      status: "failed",
    }));
    return [...updates, ...ends];
  }

  #describe(blocks: readonly Fields[]): void {
    const { disk, about, cwd, additionalDirectories, clock } = this.#parts;
    const before = parsed(disk.read(about)?.toString() ?? "");
    const known = isFields(before) ? before : { title: titleOf(blocks) || undefined };
    const updatedAt = new Date(clock.now()).toISOString();
    disk.replace(about, JSON.stringify({ ...known, cwd, additionalDirectories, updatedAt }));
  }

  /** A process that was killed may have left half a line; what follows is not to become a part of it. */
  #mendEnd(file: OpenFile): void {
    const last = Buffer.alloc(1);
    const size = file.size();
    if (size > 0 && file.read(last, 0, 1, size - 1) === 1 && last.toString() !== "\n") {
      append(file, Buffer.from("\n"));
    }
  }

  /** What is kept begins with a prompt, where one is in it. */
  #forgetOldest(file: OpenFile): void {
    const size = file.size();
    const bytes = Buffer.alloc(this.#keptBytes);
    const read = file.read(bytes, 0, bytes.length, size - bytes.length);
    const newest = bytes.subarray(0, read);
    const prompt = newest.indexOf('\n{"sessionUpdate":"user_message_chunk"');
    const kept = newest.subarray((prompt === -1 ? newest.indexOf("\n") : prompt) + 1);
    file.truncate(0);
    append(file, kept);
  }

  /** Told once a process: the next try would fail the same way. */
  #try(step: () => void): void {
    if (this.#hasFailed) return;
    try {
      step();
    } catch (error) {
      this.#hasFailed = true;
      const { updates, notice } = this.#parts;
      notice(`What is said in this session cannot be kept in ${updates}: ${messageOf(error)}`);
    }
  }
}

function append(file: OpenFile, bytes: Buffer): void {
  const end = file.size();
  for (let done = 0; done < bytes.length; ) {
    done += file.write(bytes, done, bytes.length - done, end + done);
  }
}

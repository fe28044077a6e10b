import type { Batch, Journal } from "./journal.ts";

/** The bytes that one attachment takes from the file before another has its turn. */
const SHARE_BYTES = 256 * 1024;

/** Where an attachment writes: one client's connection. */
export interface Reader {
  /** The connection's other side does not take what was written: write nothing more for now. */
  readonly blocked: boolean;
  write(lines: Buffer): void;
  /** This attachment has more to read from the file than it could write: give it a turn when there is room. */
  lags(attachment: Attachment): void;
}

interface Posted {
  /** The cursor that must be passed first. */
  after: number;
  send: () => void;
}

interface Range {
  from: number;
  to: number;
}

/**
 * One client looking at one session: a cursor into the journal, and an outbox of what is to be said once the
 * cursor has passed where it belongs. A client that keeps up gets each batch as it is written; one that
 * does not is read to from the file. Nobody waits for it, and nothing of it is kept in memory.
 */
export class Attachment {
  cursor: number;
  readonly #journal: Journal;
  readonly #reader: Reader;
  readonly #outbox: Posted[] = [];
  /** Lines that this client wrote itself and need not be told, and how many of these ranges are behind the cursor. */
  readonly #own: Range[] = [];
  #passed = 0;
  #release: (() => void) | undefined;
  #detached = false;

  constructor(journal: Journal, reader: Reader, cursor: number) {
    this.#journal = journal;
    this.#reader = reader;
    this.cursor = cursor;
    if (cursor < journal.end) this.#fallBehind();
  }

  get lagBytes(): number {
    return this.#journal.end - this.cursor;
  }

  /** Reads again from `cursor`. What waits in the outbox stays, and goes out when it is passed. */
  rewind(cursor: number): void {
    this.cursor = cursor;
    this.#passed = this.#own.findIndex((own) => own.to > cursor);
    if (this.#passed === -1) this.#passed = this.#own.length;
    if (this.cursor < this.#journal.end) this.#fallBehind();
  }

  /** The lines that are about to be written from `from` to `to` are this client's own. The answer takes it back. */
  skip(from: number, to: number): () => void {
    const own = { from, to };
    this.#own.push(own);
    return () => {
      const index = this.#own.indexOf(own);
      if (index !== -1) this.#own.splice(index, 1);
    };
  }

  /** A batch was written at the end of the journal. */
  advance(batch: Batch): void {
    if (this.#detached) return;
    const keepsUp = this.cursor === batch.from && this.#outbox.length === 0 && !this.#reader.blocked;
    const own = this.#nextOwn;
    const concerned = own !== undefined && own.from < batch.to;
    if (!keepsUp || (concerned && (own.from !== batch.from || own.to !== batch.to))) {
      this.#fallBehind();
      return;
    }
    if (concerned) this.#passed += 1;
    else this.#reader.write(batch.bytes);
    this.cursor = batch.to;
  }

  /** Says something once everything before `place` has been said. The answer takes it back; false: too late. */
  post(place: number, send: () => void): () => boolean {
    // What a damaged journal has lost will not be said.
    const after = Math.min(place, this.#journal.end);
    if (this.#outbox.length === 0 && this.cursor >= after && !this.#reader.blocked) {
      send();
      return () => false;
    }
    const posted = { after, send };
    this.#outbox.push(posted);
    this.#fallBehind();
    return () => {
      const index = this.#outbox.indexOf(posted);
      if (index === -1) return false;
      this.#outbox.splice(index, 1);
      return true;
    };
  }

  /** Reads its share from the file and says what is due. True: there is more. */
  pump(): boolean {
    let share = SHARE_BYTES;
    while (!this.#detached && !this.#reader.blocked && share > 0) {
      if (this.#sayDue()) continue;
      if (this.#skipOwn()) continue;
      const until = Math.min(this.#nextOwn?.from ?? Infinity, this.#journal.end);
      if (this.cursor >= until) break;
      // What is posted goes out where it belongs; a damaged journal may have a line across that place.
      const due = (this.#outbox[0]?.after ?? Infinity) - this.cursor;
      const lines = this.#journal.file.read(this.cursor, until, Math.min(share, due));
      this.#reader.write(lines);
      this.cursor += lines.length;
      share -= lines.length;
    }
    const more = !this.#detached && (this.cursor < this.#journal.end || this.#outbox.length > 0);
    if (!more) this.#keepUp();
    return more;
  }

  /** Reads no longer. What was still to be said is said at once: it may answer a request. */
  detach(): void {
    this.#detached = true;
    this.#keepUp();
    for (const { send } of this.#outbox.splice(0)) send();
  }

  get #nextOwn(): Range | undefined {
    return this.#own[this.#passed];
  }

  #sayDue(): boolean {
    const first = this.#outbox[0];
    if (!first || first.after > this.cursor) return false;
    this.#outbox.shift();
    first.send();
    return true;
  }

  #skipOwn(): boolean {
    const own = this.#nextOwn;
    if (!own || own.from > this.cursor) return false;
    this.#passed += 1;
    this.cursor = Math.max(this.cursor, own.to);
    return true;
  }

  #fallBehind(): void {
    if (this.#detached) return;
    this.#release ??= this.#journal.file.hold();
    this.#reader.lags(this);
  }

  #keepUp(): void {
    this.#release?.();
    this.#release = undefined;
  }
}

import type { Fields } from "../acp/checks.ts";
import { failure, HallFailure } from "../acp/errors.ts";
import { Attachment } from "./attachment.ts";
import type { Batch, Journal } from "./journal.ts";
import { hallLine } from "./lines-of-ours.ts";
import { ReadAgain } from "./read-again.ts";
import { Seat, type SeatParts } from "./seat.ts";
import type { Viewer } from "./viewer.ts";

/** A journal of this size takes its time to load, and its place on the disk: people are told, at each multiple. */
const LARGE_BYTES = 2 ** 30;

export interface StreamParts extends Omit<SeatParts, "end"> {
  sessionId: string;
  journal: Journal;
  /** A write failed outside of a turn's end: what was gathered is gone, and nobody has seen it. */
  broke(failure: HallFailure): void;
  /** The journal has come past another multiple of a gibibyte. */
  grown(bytes: number): void;
}

/** A session's update stream: the journal that it is written to, and everyone who reads it from there. */
export class Stream {
  readonly #parts: StreamParts;
  readonly #journal: Journal;
  readonly #seating: SeatParts;
  readonly #seats = new Map<Viewer, Seat>();
  #again: ReadAgain | undefined;

  constructor(parts: StreamParts) {
    this.#parts = parts;
    this.#journal = parts.journal;
    this.#seating = { desk: parts.desk, run: parts.run, end: () => this.end };
  }

  /** The cursor at the end of what is written. */
  get end(): number {
    return this.#journal.end;
  }

  get seats(): Iterable<Seat> {
    return this.#seats.values();
  }

  /** Those who look on and have not gone. */
  get audience(): Seat[] {
    return [...this.#seats.values()].filter((seat) => seat.taken);
  }

  seatOf(viewer: Viewer): Seat | undefined {
    return this.#seats.get(viewer);
  }

  /**
   * A client reads along: from `cursor`, or from the end if it does not say. Twice is once. `begins` hears where, if
   * that is not where it read on anyway: before anything is read from there.
   */
  seat(viewer: Viewer, cursor?: number, begins: (cursor: number) => void = () => {}): Seat {
    this.commit();
    const seated = this.#seats.get(viewer);
    const from = cursor ?? this.end;
    if (!seated?.attachment || cursor !== undefined) begins(from);
    if (seated?.attachment) {
      if (cursor !== undefined) seated.attachment.rewind(cursor);
      return seated;
    }
    const attachment = new Attachment(this.#journal, viewer, from);
    if (seated) {
      seated.sit(attachment);
      return seated;
    }
    const seat = new Seat(viewer, attachment, this.#seating);
    this.#seats.set(viewer, seat);
    return seat;
  }

  unseat(seat: Seat): void {
    this.#seats.delete(seat.viewer);
    seat.leave();
  }

  /** A client is back by another connection, which has its seat from now on. */
  inherit(viewer: Viewer, heir: Viewer): void {
    const seat = this.#seats.get(viewer);
    if (!seat) return;
    this.#seats.delete(viewer);
    seat.passTo(heir);
    this.#seats.set(heir, seat);
  }

  /** What the agent tells from now on may have been told before: from `from` on it is left out. */
  readAgain(from: number): void {
    this.#again = new ReadAgain(this.#journal, from);
  }

  /** From now on it is all new. */
  readOn(): void {
    this.#again = undefined;
  }

  /** What the agent tells may have been told before. */
  get readsAgain(): boolean {
    return this.#again !== undefined;
  }

  /** Gathers a line of the agent's, in up to two pieces, without its newline: written and seen at the next commit. */
  gather(first: Buffer, rest?: Buffer): void {
    if (this.#again?.passes(first, rest)) return;
    this.#journal.gather(first, rest);
  }

  /** Gathers an update of the hall's own. */
  gatherOurs(update: Fields, meta?: Fields): void {
    this.#journal.gather(hallLine(this.#parts.sessionId, update, meta));
  }

  /** What was gathered is not to be seen. */
  forget(): void {
    this.#journal.forget();
  }

  /** An update of the hall's own, at once. */
  tell(update: Fields): void {
    this.gatherOurs(update);
    this.commit();
  }

  /** Where the lines that are gathered now will end. */
  get gatheredEnd(): number {
    return this.end + this.#journal.gatheredBytes;
  }

  /** Writes what was gathered, then lets everyone see it. */
  commit(): void {
    const failed = this.tryCommit();
    if (failed) this.#parts.broke(failed);
  }

  /** As `commit`, for whoever deals with the failure. */
  tryCommit(): HallFailure | undefined {
    let batch: Batch | undefined;
    try {
      batch = this.#journal.commit();
    } catch (error) {
      return error instanceof HallFailure ? error : failure("journal_failed", String(error));
    }
    if (!batch) return undefined;
    for (const { attachment } of this.#seats.values()) attachment?.advance(batch);
    const grown = batch.to - (batch.to % LARGE_BYTES);
    if (grown > batch.from) this.#parts.grown(grown);
    return undefined;
  }
}

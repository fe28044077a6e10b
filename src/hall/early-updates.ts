/** Bounds of what waits; one update by itself may be larger. */
const MOST = 1_000;
const MOST_BYTES = 8 * 1024 * 1024;

export type Deliver<Sink> = (sink: Sink) => void;

interface Held<Sink> {
  sessionId: string;
  bytes: number;
  deliver: Deliver<Sink>;
}

/** What an agent tells of a session before the answer that names it: it waits for who binds that session. */
export class EarlyUpdates<Sink> {
  readonly #noticed: (what: string) => void;
  #held: Held<Sink>[] = [];
  #bytes = 0;
  /** Sessions that are asked for and have no name yet. */
  #unnamed = 0;
  /** For which there was no room, and for no session that is, or is to be: the log tells of the first. */
  #dropped = 0;
  #astray = 0;

  constructor(noticed: (what: string) => void) {
    this.#noticed = noticed;
  }

  /** A session is asked for. */
  expect(): void {
    this.#unnamed += 1;
  }

  /** It is named, or there will be none. What waits for others than those that were asked for waits for nobody. */
  named(): void {
    this.#unnamed -= 1;
    if (this.#unnamed === 0) this.#keep([]);
  }

  hold(sessionId: string, bytes: number, deliver: Deliver<Sink>): void {
    if (this.#unnamed === 0) {
      this.#astray += 1;
      if (this.#astray === 1) this.#noticed(`an update for a session that is not bound (${sessionId})`);
      return;
    }
    const hasRoom = this.#bytes === 0 || this.#bytes + bytes <= MOST_BYTES;
    if (this.#held.length < MOST && hasRoom) {
      this.#held.push({ sessionId, bytes, deliver });
      this.#bytes += bytes;
      return;
    }
    this.#dropped += 1;
    if (this.#dropped === 1)
      this.#noticed(
        `more than ${MOST} updates, or ${MOST_BYTES} bytes, came before the answer that names their session; ` +
          "the rest is dropped",
      );
  }

  /** Gives over what came for this session, in its order. */
  deliver(sessionId: string, sink: Sink): void {
    const mine = this.#held.filter((held) => held.sessionId === sessionId);
    if (mine.length === 0) return;
    this.#keep(this.#held.filter((held) => held.sessionId !== sessionId));
    for (const { deliver } of mine) deliver(sink);
  }

  #keep(held: Held<Sink>[]): void {
    this.#held = held;
    this.#bytes = held.reduce((sum, { bytes }) => sum + bytes, 0);
  }
}

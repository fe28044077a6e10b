/** Bytes that one connection may bring in one turn of the event loop, before all others have had theirs. */
const WHOLE_BYTES = 64 * 1024;
/** The same while somebody sends a little and waits for the answer. A smaller share costs a flood more writes. */
const SMALL_BYTES = 16 * 1024;
/** For how many shares whoever sent a little is remembered: some round trips, beside a flood. */
const REMEMBERED_SHARES = 64;

/**
 * Divides the turns of the event loop among the connections of a process: from a side that writes faster than we
 * read, Node would read 2 MiB before it looks at anybody else. One object for all of them.
 */
export class Shares {
  /** Who brought a large piece last: a small one of the same is the end of it, and waits for nothing. */
  #flooding: object | undefined;
  #sinceSmall = Number.POSITIVE_INFINITY;

  /** `of` has read so many bytes at once. */
  came(of: object, bytes: number): void {
    if (bytes >= SMALL_BYTES) this.#flooding = of;
    else if (this.#flooding !== of) this.#sinceSmall = 0;
  }

  /** Bytes that may be taken in this turn of the event loop by whoever asks, once a turn. */
  next(): number {
    this.#sinceSmall += 1;
    return this.#sinceSmall > REMEMBERED_SHARES ? WHOLE_BYTES : SMALL_BYTES;
  }
}

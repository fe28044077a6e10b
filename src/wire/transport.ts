/**
 * How bytes travel: the little that a peer needs of a socket, of a pair of pipes, or of a test's memory.
 * Writing never blocks and never fails loudly: a transport that broke says so once, by `closed`.
 */
export interface Transport {
  /** Begins delivery to `receiver`; called once. */
  start(receiver: Receiver): void;
  write(bytes: Buffer): void;
  /** Bytes that were written and that the other side's kernel has not taken yet. */
  readonly backlog: number;
  /**
   * Calls `ring` once: when a backlog so long that nothing should be added is taken, now if there is none, or when
   * the transport is gone. Behind `end` it waits for that.
   */
  onDrain(ring: () => void): void;
  /** Stops reading: the other side's writes fill the pipe, then wait. */
  pause(): void;
  resume(): void;
  /** Sends what is pending, then ends our direction. */
  end(): void;
  /** Drops everything at once. `closed` follows. */
  destroy(): void;
}

export interface Receiver {
  chunk(bytes: Buffer): void;
  /** The other side ended its direction; ours may still be open. */
  ended(): void;
  /** The other side takes nothing any more, though it may still say something; what is written is dropped. */
  unheard?(): void;
  /** Nothing travels any more, in either direction. Called once, last. */
  closed(error?: Error): void;
}

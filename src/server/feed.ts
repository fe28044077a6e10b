/** The little that a feed needs of a client. */
export interface FeedReader {
  readonly closed: boolean;
  /** It does not take what was written. */
  readonly blocked: boolean;
  notify(method: string, params: unknown): void;
  onDrain(ring: () => void): void;
}

/**
 * Notifications to a client that may not read them: while it does not, they are counted and not kept, so that it costs
 * no memory and nobody waits for it. How many it missed is told where they are missing.
 */
export class Feed {
  readonly #reader: FeedReader;
  /** Tells how many it missed. */
  readonly #told: (missed: number) => { method: string; params: object };
  #missed = 0;
  #over = false;

  constructor(reader: FeedReader, told: (missed: number) => { method: string; params: object }) {
    this.#reader = reader;
    this.#told = told;
  }

  send(method: string, params: object): void {
    if (this.#over) return;
    if (this.#missed === 0 && !this.#reader.blocked) {
      this.#reader.notify(method, params);
      return;
    }
    this.#missed += 1;
    if (this.#missed === 1) this.#awaitRoom();
  }

  end(): void {
    this.#over = true;
  }

  #awaitRoom(): void {
    this.#reader.onDrain(() => {
      if (this.#over || this.#reader.closed) return;
      if (this.#reader.blocked) {
        this.#awaitRoom();
        return;
      }
      const { method, params } = this.#told(this.#missed);
      this.#missed = 0;
      this.#reader.notify(method, params);
    });
  }
}

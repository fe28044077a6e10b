import PQueue from "p-queue";

/**
 * How many agents may be starting at once (`limits.start_concurrency`): a start lasts from the spawn until
 * `initialize` is answered, and a dozen at once would make each of them miss its time. First come, first served.
 */
export class Starts {
  readonly #queue: PQueue;

  constructor(limit: number) {
    this.#queue = new PQueue({ concurrency: limit });
  }

  get limit(): number {
    return this.#queue.concurrency;
  }

  /** Holds for the starts that follow; what is starting goes on. */
  set limit(limit: number) {
    this.#queue.concurrency = limit;
  }

  get starting(): number {
    return this.#queue.pending;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /**
   * Runs `start` when its turn comes; it keeps its place until it settles.
   *
   * @param signal takes a start out that still waits: rejected with the signal's reason, `start` never runs.
   *   A start that runs goes on; it is for `start` to listen, if it can be stopped.
   */
  async run<Result>(start: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    if (signal === undefined) return this.#queue.add(start);
    // A signal of its own for the wait: the queue would free the place of a start that runs, too.
    const wait = new AbortController();
    const giveUp = (): void => wait.abort(signal.reason);
    const settled = (): void => signal.removeEventListener("abort", giveUp);
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
    try {
      return await this.#queue.add(
        () => {
          settled();
          return start();
        },
        { signal: wait.signal },
      );
    } finally {
      settled();
    }
  }
}

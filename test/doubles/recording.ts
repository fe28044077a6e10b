import type { Message } from "./message.ts";

/** One line that came, parsed and as it was, newline included. */
export interface Received {
  message: Message;
  bytes: Buffer;
}

/** What a line has to be: text that stands in it, or whatever the function says. */
export type Wanted = string | ((message: Message) => boolean);

interface Waiting {
  wanted: Wanted;
  found: (received: Received) => void;
  failed: (error: Error) => void;
}

/** A line that does not come is a defect, and the test says so before its own time is up. */
const PATIENCE_MS = 20_000;

/** Everything that a connection brought, in order, and those who wait for something to come. */
export class Recording {
  readonly lines: Received[] = [];
  readonly #waiting = new Set<Waiting>();
  #over: string | undefined;

  add(received: Received): void {
    this.lines.push(received);
    for (const waiting of this.#waiting) {
      if (!matches(received, waiting.wanted)) continue;
      this.#waiting.delete(waiting);
      waiting.found(received);
    }
  }

  /** Nothing will come any more: whoever waits is told. */
  end(why: string): void {
    this.#over = why;
    for (const { wanted, failed } of this.#waiting) failed(this.#missed(wanted, why));
    this.#waiting.clear();
  }

  /**
   * The first line from number `since` on that is wanted, now or when it comes. Rejects when the connection
   * ends before, or when it takes unreasonably long, with the last lines that did come.
   */
  sees(wanted: Wanted, since = 0): Promise<Received> {
    const there = this.lines.slice(since).find((received) => matches(received, wanted));
    if (there) return Promise.resolve(there);
    if (this.#over !== undefined) return Promise.reject(this.#missed(wanted, this.#over));
    return new Promise((found, failed) => {
      const waiting = { wanted, found, failed };
      this.#waiting.add(waiting);
      const timer = setTimeout(() => {
        if (this.#waiting.delete(waiting)) failed(this.#missed(wanted, `${PATIENCE_MS / 1000} s passed`));
      }, PATIENCE_MS);
      timer.unref();
    });
  }

  #missed(wanted: Wanted, why: string): Error {
    const last = this.lines.slice(-5).map(({ bytes }) => bytes.toString("utf8", 0, 500).trimEnd());
    const tail =
      last.length > 0 ? `The last of ${this.lines.length} lines:\n${last.join("\n")}` : "No line came.";
    return new Error(`Did not see ${typeof wanted === "string" ? `"${wanted}"` : wanted}: ${why}. ${tail}`);
  }
}

function matches({ message, bytes }: Received, wanted: Wanted): boolean {
  return typeof wanted === "string" ? bytes.includes(wanted) : wanted(message);
}

import type { Readable, Writable } from "node:stream";
import { Shares } from "./shares.ts";
import type { Receiver, Transport } from "./transport.ts";

/** A transport over Node streams: a socket (both directions in one) or a pair of pipes. */
export class StreamTransport implements Transport {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #shares: Shares;
  #waiting: (() => void)[] = [];
  /** Its owner wants nothing read. */
  #paused = false;
  /** Bytes left of its share of this turn of the event loop; undefined before anything came in it. */
  #left: number | undefined;
  /** What comes next was read before, and put back. */
  #putBack = false;
  #inputOver = false;
  #outputOver = false;
  #closed = false;
  #receiver: Receiver | undefined;
  #error: Error | undefined;

  /** @param shares what it has in common with the other connections of this process; without, it is alone */
  constructor(input: Readable, output: Writable, shares = new Shares()) {
    this.#input = input;
    this.#output = output;
    this.#shares = shares;
    // From here on, not from `start`: a pipe that breaks before anyone reads must not end the process.
    const broke = (error: Error): void => {
      this.#error ??= error;
    };
    input.on("error", broke);
    input.on("close", () => {
      this.#inputOver = true;
      this.#settle();
    });
    if ((output as unknown) !== input) {
      output.on("error", broke);
      output.on("close", () => {
        this.#outputOver = true;
        if (!output.writableEnded && !this.#inputOver) this.#receiver?.unheard?.();
        this.#settle();
      });
    }
    output.on("drain", () => this.#ringAll());
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
    this.#input.on("data", (bytes: Buffer) => {
      const share = this.#share(bytes);
      if (share.length > 0) receiver.chunk(share);
    });
    this.#input.on("end", () => {
      this.#inputOver = true;
      receiver.ended();
      this.#settle();
    });
    if (this.#closed) queueMicrotask(() => receiver.closed(this.#error));
  }

  get backlog(): number {
    return this.#output.destroyed ? 0 : this.#output.writableLength;
  }

  write(bytes: Buffer): void {
    if (this.#output.writable) this.#output.write(bytes);
  }

  onDrain(ring: () => void): void {
    const { writable, writableNeedDrain } = this.#output;
    const over = this.#closed || this.#outputOver;
    // Node says "drain" only of what it has called full, and never after `end`: then the close rings.
    if (over || (writable && !writableNeedDrain)) queueMicrotask(ring);
    else this.#waiting.push(ring);
  }

  pause(): void {
    this.#paused = true;
    this.#input.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#input.resume();
  }

  end(): void {
    if (!this.#output.writableEnded) this.#output.end();
  }

  destroy(): void {
    this.#input.destroy();
    this.#output.destroy();
  }

  /** What of it is delivered in this turn of the event loop. The rest goes back, and nothing more is read. */
  #share(bytes: Buffer): Buffer {
    if (!this.#putBack) this.#shares.came(this, bytes.length);
    if (this.#left === undefined) {
      this.#left = this.#shares.next();
      setImmediate(() => this.#beginTurn());
    }
    const share = bytes.subarray(0, this.#left);
    this.#left -= share.length;
    this.#putBack = share.length < bytes.length;
    if (this.#left === 0) this.#input.pause();
    if (this.#putBack) this.#input.unshift(bytes.subarray(share.length));
    return share;
  }

  #beginTurn(): void {
    this.#left = undefined;
    if (!this.#paused && this.#input.isPaused()) this.#input.resume();
  }

  #ringAll(): void {
    const rings = this.#waiting;
    this.#waiting = [];
    for (const ring of rings) ring();
  }

  /** A socket is over when it closed; a pair of pipes when both directions are. */
  #settle(): void {
    const one = (this.#output as unknown) === this.#input;
    const over = one
      ? this.#input.destroyed
      : this.#inputOver && (this.#outputOver || this.#output.destroyed);
    if (this.#output.destroyed) this.#ringAll();
    if (!over || this.#closed) return;
    this.#closed = true;
    this.#ringAll();
    this.#receiver?.closed(this.#error);
  }
}

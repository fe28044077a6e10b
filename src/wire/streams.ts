import type { Readable, Writable } from "node:stream";
import type { Receiver, Transport } from "./transport.ts";

/** Bytes that one connection may bring in one turn of the event loop, before all others have had theirs. */
const SHARE_BYTES = 64 * 1024;

/** A transport over Node streams: a socket (both directions in one) or a pair of pipes. */
export class StreamTransport implements Transport {
  readonly #input: Readable;
  readonly #output: Writable;
  #waiting: (() => void)[] = [];
  /** Its owner wants nothing read. */
  #paused = false;
  /** Bytes that came in this turn of the event loop. */
  #cameNow = 0;
  #inputOver = false;
  #outputOver = false;
  #closed = false;
  #receiver: Receiver | undefined;
  #error: Error | undefined;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
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
      receiver.chunk(bytes);
      this.#countShare(bytes.length);
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

  /** From a side that writes faster than we read, Node would read 2 MiB before it looks at anybody else. */
  #countShare(bytes: number): void {
    if (this.#cameNow === 0) setImmediate(() => this.#beginTurn());
    this.#cameNow += bytes;
    if (this.#cameNow >= SHARE_BYTES) this.#input.pause();
  }

  #beginTurn(): void {
    this.#cameNow = 0;
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

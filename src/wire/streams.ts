import type { Readable, Writable } from "node:stream";
import type { Receiver, Transport } from "./transport.ts";

/** A transport over Node streams: a socket (both directions in one) or a pair of pipes. */
export class StreamTransport implements Transport {
  readonly #input: Readable;
  readonly #output: Writable;
  #waiting: (() => void)[] = [];
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
        this.#settle();
      });
    }
    output.on("drain", () => this.#ringAll());
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
    this.#input.on("data", (bytes: Buffer) => receiver.chunk(bytes));
    this.#input.on("end", () => {
      this.#inputOver = true;
      receiver.ended();
      this.#settle();
    });
    if (this.#closed) queueMicrotask(() => receiver.closed(this.#error));
  }

  get backlog(): number {
    return this.#output.writableLength;
  }

  write(bytes: Buffer): void {
    if (this.#output.writable) this.#output.write(bytes);
  }

  onDrain(ring: () => void): void {
    if (this.#closed || !this.#output.writable || this.#output.writableLength === 0) queueMicrotask(ring);
    else this.#waiting.push(ring);
  }

  pause(): void {
    this.#input.pause();
  }

  resume(): void {
    this.#input.resume();
  }

  end(): void {
    if (!this.#output.writableEnded) this.#output.end();
  }

  destroy(): void {
    this.#input.destroy();
    this.#output.destroy();
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

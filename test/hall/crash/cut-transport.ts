import { memoryPair } from "../../../src/wire/memory.ts";
import type { Receiver, Transport } from "../../../src/wire/transport.ts";

/** The hall's end of a connection: from the moment in which its machine stopped nothing goes out by it, or comes in. */
class CutTransport implements Transport {
  readonly #inner: Transport;
  readonly #isCut: () => boolean;

  constructor(inner: Transport, isCut: () => boolean) {
    this.#inner = inner;
    this.#isCut = isCut;
  }

  start(receiver: Receiver): void {
    this.#inner.start({
      chunk: (bytes) => {
        if (!this.#isCut()) receiver.chunk(bytes);
      },
      ended: () => {
        if (!this.#isCut()) receiver.ended();
      },
      closed: (error) => receiver.closed(error),
    });
  }

  get backlog(): number {
    return this.#inner.backlog;
  }

  write(bytes: Buffer): void {
    if (!this.#isCut()) this.#inner.write(bytes);
  }

  onDrain(ring: () => void): void {
    this.#inner.onDrain(ring);
  }

  pause(): void {
    this.#inner.pause();
  }

  resume(): void {
    this.#inner.resume();
  }

  end(): void {
    if (!this.#isCut()) this.#inner.end();
  }

  destroy(): void {
    this.#inner.destroy();
  }
}

/** A connection in memory: the hall's end, and the other one. */
export function cutPair(isCut: () => boolean): { ours: Transport; theirs: Transport } {
  const [inner, theirs] = memoryPair();
  return { ours: new CutTransport(inner, isCut), theirs };
}

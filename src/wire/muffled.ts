import type { Receiver, Transport } from "./transport.ts";

/** A transport whose owner can be kept from saying anything more: what is written from then on is dropped. */
export class MuffledTransport implements Transport {
  readonly #inner: Transport;
  muffled = false;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  get backlog(): number {
    return this.#inner.backlog;
  }

  start(receiver: Receiver): void {
    this.#inner.start(receiver);
  }

  write(bytes: Buffer): void {
    if (!this.muffled) this.#inner.write(bytes);
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
    this.#inner.end();
  }

  destroy(): void {
    this.#inner.destroy();
  }
}

import type { Receiver, Transport } from "./transport.ts";

/** A transport around another one, which does what that one does: for those that change one thing of it. */
export class PassingTransport implements Transport {
  protected readonly inner: Transport;

  constructor(inner: Transport) {
    this.inner = inner;
  }

  get backlog(): number {
    return this.inner.backlog;
  }

  start(receiver: Receiver): void {
    this.inner.start(receiver);
  }

  write(bytes: Buffer): void {
    this.inner.write(bytes);
  }

  onDrain(ring: () => void): void {
    this.inner.onDrain(ring);
  }

  pause(): void {
    this.inner.pause();
  }

  resume(): void {
    this.inner.resume();
  }

  end(): void {
    this.inner.end();
  }

  destroy(): void {
    this.inner.destroy();
  }
}

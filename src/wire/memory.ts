import type { Receiver, Transport } from "./transport.ts";

/**
 * Two transports that are each other's other end, in this process. Bytes arrive in a later microtask, in
 * order; a side that is paused keeps the other's bytes as its backlog, as a full pipe would.
 */
export function memoryPair(): [Transport, Transport] {
  const a = new MemoryEnd();
  const b = new MemoryEnd();
  a.other = b;
  b.other = a;
  return [a, b];
}

class MemoryEnd implements Transport {
  other: MemoryEnd | undefined;
  #receiver: Receiver | undefined;
  #inbox: Buffer[] = [];
  #paused = false;
  #ended = false;
  #endDelivered = false;
  #closed = false;
  #scheduled = false;
  #rings: (() => void)[] = [];

  start(receiver: Receiver): void {
    this.#receiver = receiver;
    this.#schedule();
  }

  get backlog(): number {
    return this.other?.waiting ?? 0;
  }

  get waiting(): number {
    return this.#inbox.reduce((sum, bytes) => sum + bytes.length, 0);
  }

  write(bytes: Buffer): void {
    if (!this.#ended && !this.#closed) this.other?.take(bytes);
  }

  onDrain(ring: () => void): void {
    if (this.backlog === 0 || this.#closed) queueMicrotask(ring);
    else this.#rings.push(ring);
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#schedule();
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.other?.poke();
    this.poke();
  }

  destroy(): void {
    this.#ended = true;
    this.#close();
    this.other?.cut();
  }

  take(bytes: Buffer): void {
    this.#inbox.push(bytes);
    this.#schedule();
  }

  poke(): void {
    this.#schedule();
  }

  cut(): void {
    this.#ended = true;
    queueMicrotask(() => this.#close());
  }

  get ended(): boolean {
    return this.#ended;
  }

  drained(): void {
    const rings = this.#rings;
    this.#rings = [];
    for (const ring of rings) ring();
  }

  #schedule(): void {
    if (this.#scheduled || !this.#receiver) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#deliver();
    });
  }

  #deliver(): void {
    if (!this.#receiver || this.#closed) return;
    while (!this.#paused) {
      const bytes = this.#inbox.shift();
      if (!bytes) break;
      this.#receiver.chunk(bytes);
    }
    if (this.#inbox.length > 0) return;
    this.other?.drained();
    if (this.other?.ended && !this.#endDelivered) {
      this.#endDelivered = true;
      this.#receiver.ended();
    }
    if (this.#endDelivered && this.#ended) this.#close();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#inbox = [];
    this.drained();
    this.#receiver?.closed();
  }
}

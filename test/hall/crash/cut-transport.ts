import { memoryPair } from "../../../src/wire/memory.ts";
import { PassingTransport } from "../../../src/wire/passing.ts";
import type { Receiver, Transport } from "../../../src/wire/transport.ts";

/** The hall's end of a connection: from the moment in which its machine stopped nothing goes out by it, or comes in. */
class CutTransport extends PassingTransport {
  readonly #isCut: () => boolean;

  constructor(inner: Transport, isCut: () => boolean) {
    super(inner);
    this.#isCut = isCut;
  }

  override start(receiver: Receiver): void {
    this.inner.start({
      chunk: (bytes) => {
        if (!this.#isCut()) receiver.chunk(bytes);
      },
      ended: () => {
        if (!this.#isCut()) receiver.ended();
      },
      closed: (error) => receiver.closed(error),
    });
  }

  override write(bytes: Buffer): void {
    if (!this.#isCut()) this.inner.write(bytes);
  }

  override end(): void {
    if (!this.#isCut()) this.inner.end();
  }
}

/** A connection in memory: the hall's end, and the other one. */
export function cutPair(isCut: () => boolean): { ours: Transport; theirs: Transport } {
  const [inner, theirs] = memoryPair();
  return { ours: new CutTransport(inner, isCut), theirs };
}

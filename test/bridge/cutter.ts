import { memoryPair } from "../../src/wire/memory.ts";
import type { Transport } from "../../src/wire/transport.ts";

/**
 * Connections that are lost after so many bytes, counted over both directions: in the middle of a line, or of a
 * character. What was on its way then, in either direction, never arrives.
 */
export class Cutter {
  /** Bytes that came through, over all connections. */
  passed = 0;
  readonly #cuts: number[];
  readonly #cut: () => void;

  /** `cuts`: where, ascending. `cut`: called at each. */
  constructor(cuts: readonly number[], cut: () => void = () => {}) {
    this.#cuts = [...cuts];
    this.#cut = cut;
  }

  /** The near end of a connection whose far end is `far`. */
  through(far: Transport): Transport {
    const [near, inner] = memoryPair();
    let open = true;
    const close = (): void => {
      if (!open) return;
      open = false;
      inner.destroy();
      far.destroy();
    };
    const pass = (bytes: Buffer, to: Transport): void => {
      if (!open) return;
      const [next] = this.#cuts;
      const room = next === undefined ? bytes.length : next - this.passed;
      this.passed += Math.min(bytes.length, room);
      to.write(bytes.subarray(0, room));
      if (bytes.length < room || next === undefined) return;
      this.#cuts.shift();
      open = false;
      // What was let through arrives before the connection is found to be gone.
      setImmediate(() => {
        inner.destroy();
        far.destroy();
        this.#cut();
      });
    };
    inner.start({
      chunk: (bytes) => pass(bytes, far),
      ended: () => open && far.end(),
      closed: close,
    });
    far.start({
      chunk: (bytes) => pass(bytes, inner),
      ended: () => open && inner.end(),
      closed: close,
    });
    return near;
  }
}

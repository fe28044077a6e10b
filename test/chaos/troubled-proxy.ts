import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { Dice } from "../doubles/dice.ts";

/** One piece in so many is cut off with its connection, or held up for long. */
const CUT_ONE_IN = 400;
const STALL_ONE_IN = 60;
const STALL_MS = 150;

/** A bad line: what goes through comes in other pieces, late, after a stall, or not at all, as the connection breaks. */
export class TroubledProxy {
  /** Connections that it broke. */
  cuts = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(to: string, dice: Dice) {
    this.#server = createServer({ allowHalfOpen: true }, (near) => {
      const far = connect({ path: to, allowHalfOpen: true });
      void this.#carry(near, far, dice);
      void this.#carry(far, near, dice);
    });
  }

  /** Between whoever connects to the socket `at`, and the one who listens at `to`. */
  static async between(at: string, to: string, dice: Dice): Promise<TroubledProxy> {
    const proxy = new TroubledProxy(to, dice);
    await new Promise<void>((resolve) => proxy.#server.listen(at, resolve));
    return proxy;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #carry(from: Socket, to: Socket, dice: Dice): Promise<void> {
    this.#sockets.add(from);
    try {
      for await (const bytes of from) await this.#pass(bytes, to, dice);
      to.end();
    } catch {
      // It broke: so does the other half.
      to.destroy();
    } finally {
      this.#sockets.delete(from);
    }
  }

  async #pass(bytes: Buffer, to: Socket, dice: Dice): Promise<void> {
    for (let from = 0; from < bytes.length; ) {
      const length = dice.below(8) === 0 ? 1 + dice.below(40) : bytes.length;
      if (dice.below(CUT_ONE_IN) === 0) {
        this.cuts += 1;
        // A part of what was to come has come.
        to.write(bytes.subarray(from, from + dice.below(length)));
        throw new Error("the line is cut");
      }
      if (dice.below(STALL_ONE_IN) === 0) await setTimeout(STALL_MS);
      else if (dice.below(4) === 0) await setTimeout(dice.below(4));
      if (to.destroyed) throw new Error("the other side is gone");
      if (!to.write(bytes.subarray(from, from + length)))
        await new Promise((resolve) => to.once("drain", resolve).once("close", resolve));
      from += length;
    }
  }
}

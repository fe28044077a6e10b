import type { RpcError } from "../acp/errors.ts";
import type { Cancel, Clock } from "../ground/clock.ts";
import { encode } from "../wire/message.ts";
import type { Transport } from "../wire/transport.ts";

/** How long the other side has to read why it is sent away, and to go. */
const PATIENCE_MS = 2_000;
/** At most so many are on their way out; who comes beyond that is cut off without a word. */
const LEAVING = 64;

/**
 * How a listener sends connections away: it says why in one line, ends its direction, and waits for the other
 * side to go. Closing at once, with bytes of theirs unread, would make the kernel reset the connection, and take
 * the line back before it is read.
 */
export class Farewells {
  readonly #clock: Clock;
  #leaving = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sends away who was not let in. */
  turnAway(transport: Transport, why: RpcError): void {
    let gone: Cancel = () => {};
    transport.start({ chunk: () => {}, ended: () => {}, closed: () => gone() });
    gone = this.say(transport, why);
  }

  /**
   * The same for a transport that was started: its receiver drops what still comes, and calls the answer when
   * the transport has closed.
   */
  say(transport: Transport, why: RpcError): Cancel {
    if (this.#leaving === LEAVING) {
      transport.destroy();
      return () => {};
    }
    this.#leaving++;
    transport.write(encode({ jsonrpc: "2.0", id: null, error: why.body }));
    transport.end();
    transport.resume();
    const cancel = this.#clock.after(PATIENCE_MS, () => transport.destroy());
    return () => {
      cancel();
      this.#leaving--;
    };
  }
}

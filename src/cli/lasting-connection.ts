import type { Fields } from "../acp/checks.ts";
import type { ClientHandlers } from "../acp/client-side.ts";
import { MARK_VARIABLE } from "../agents/mark.ts";
import { Bridge, type BridgeNews } from "../bridge/bridge.ts";
import { TurnedAway } from "../bridge/turned-away.ts";
import type { Clock } from "../ground/clock.ts";
import { memoryPair } from "../wire/memory.ts";
import type { Transport } from "../wire/transport.ts";
import { Connection, connectTo } from "./connection.ts";
import type { HallAddress } from "./hall-address.ts";
import { NotAllowed } from "./usage.ts";

/** How long a hall that is lost is tried again, in milliseconds. */
export const PATIENCE_MS = 10 * 60_000;

export interface LastingConnectionParts {
  address: HallAddress;
  clock: Clock;
  version: string;
  /** The connection's slot; undefined: the hall's first. */
  slot?: string | undefined;
  /** `_meta` of the `initialize`. */
  meta?: Fields;
  handlers: Partial<ClientHandlers>;
  /** What happens to the connection. After `given up` its handlers hear that it ended. */
  told(news: BridgeNews): void;
}

/** A connection that comes back: the bridge that stands behind an editor stands behind this command too. */
export class LastingConnection {
  readonly connection: Connection;
  readonly #bridge: Bridge;

  private constructor(connection: Connection, bridge: Bridge) {
    this.connection = connection;
    this.#bridge = bridge;
  }

  /** Rejects as `Connection.open` does. */
  static async open(parts: LastingConnectionParts): Promise<LastingConnection> {
    const { address, clock, version, slot, meta, handlers, told } = parts;
    const hall = await connectTo(address);
    const [ours, editor] = memoryPair();
    const bridge = new Bridge({
      editor,
      hall,
      reconnect: () => connectAgain(address),
      patience: PATIENCE_MS,
      clock,
      slot,
      process: process.env[MARK_VARIABLE],
      told,
    });
    void bridge.run();
    try {
      const connection = await Connection.over(ours, { address, clock, version, meta, handlers });
      return new LastingConnection(connection, bridge);
    } catch (error) {
      bridge.drop();
      throw error;
    }
  }

  /** The hall keeps no place for us any more. */
  close(): void {
    this.#bridge.drop();
    this.connection.close();
  }
}

/** Rejects with TurnedAway when the hall does not let us in any more, as when a token was revoked. */
export async function connectAgain(address: HallAddress): Promise<Transport> {
  try {
    return await connectTo(address);
  } catch (error) {
    throw error instanceof NotAllowed ? new TurnedAway(error.message) : error;
  }
}

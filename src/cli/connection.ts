import { type Fields, fieldsOf } from "../acp/checks.ts";
import { type ClientHandlers, ClientSide } from "../acp/client-side.ts";
import { HallKey } from "../acp/extensions.ts";
import { AgentMethod } from "../acp/methods.ts";
import { troubleOf } from "../bridge/reach.ts";
import type { Cancel, Clock } from "../ground/clock.ts";
import type { Settle } from "../wire/peer.ts";
import type { Transport } from "../wire/transport.ts";
import { type HallAddress, showAddress } from "./hall-address.ts";
import { reach } from "./reach.ts";
import { NoHall, NotAllowed, UsageError } from "./usage.ts";

/** A hall that is told to take longer lines than this has a roster that nobody writes by accident. */
const LINE_BYTES = 256 * 2 ** 20;
/** A slot that never ran is started for the first `initialize`: the hall gives that 10 s. */
const INITIALIZE_WITHIN_MS = 30_000;

const UNHEARD: ClientHandlers = {
  update() {},
  request: () => false,
  withdrawn() {},
  notification() {},
  noise() {},
  tooLong() {},
  readEnd() {},
  ended() {},
  noticed() {},
};

export interface ConnectionParts {
  address: HallAddress;
  clock: Clock;
  version: string;
  /** `_meta` of the `initialize`. */
  meta?: Fields | undefined;
  /** What the hall sends of its own accord. */
  handlers?: Partial<ClientHandlers>;
}

/** `_meta` of an `initialize` that is only about the hall: no agent is started to answer it. */
export const FOR_CONTROL = { [HallKey.control]: true } as const;

/** A command's connection to a hall, past `initialize`. */
export class Connection {
  /** What the hall answered to `initialize`. */
  readonly introduction: Fields;
  readonly #side: ClientSide;

  private constructor(side: ClientSide, introduction: Fields) {
    this.#side = side;
    this.introduction = introduction;
  }

  /** Rejects with NoHall when nobody is there, with a RequestFailed when the hall does not let us in. */
  static async open(parts: ConnectionParts): Promise<Connection> {
    return Connection.over(await connectTo(parts.address), parts);
  }

  /** As `open`, by a way that is there already and is not started yet. */
  static async over(
    transport: Transport,
    { address, clock, version, meta = {}, handlers = {} }: ConnectionParts,
  ): Promise<Connection> {
    const side = new ClientSide(transport, LINE_BYTES, { ...UNHEARD, ...handlers });
    side.start();
    try {
      const answer = await within(
        { clock, ms: INITIALIZE_WITHIN_MS, failed: () => silentAt(address) },
        side.peer.ask(AgentMethod.initialize, {
          protocolVersion: 1,
          clientInfo: { name: "hall", title: "hall", version },
          clientCapabilities: {},
          _meta: meta,
        }),
      );
      return new Connection(side, fieldsOf(answer));
    } catch (error) {
      side.peer.destroy();
      throw error;
    }
  }

  /** A connection for as long as this work takes, however it ends. Rejects as `open` does. */
  static async during<Value>(parts: ConnectionParts, work: (connection: Connection) => Promise<Value>) {
    const connection = await Connection.open(parts);
    try {
      return await work(connection);
    } finally {
      connection.close();
    }
  }

  /** Rejects with a RequestFailed. */
  ask(method: string, params: Fields): Promise<unknown> {
    return this.#side.peer.ask(method, params);
  }

  /** As `ask`, in order with everything else that the hall sends. */
  request(method: string, params: Fields, settle: Settle): unknown {
    return this.#side.peer.request(method, params, settle);
  }

  notify(method: string, params: Fields): void {
    this.#side.peer.notify(method, params);
  }

  close(): void {
    this.#side.peer.destroy();
  }
}

/** Rejects with NoHall, or NotAllowed. */
export async function connectTo(address: HallAddress): Promise<Transport> {
  try {
    return await reach(address);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const at = showAddress(address);
    const trouble = troubleOf(error);
    switch (trouble.what) {
      case "turned away": {
        const said = `${at} did not let us in: ${trouble.words}`;
        throw trouble.forGood ? new NotAllowed(said) : new NoHall(said);
      }
      case "not trusted":
        throw new NoHall(
          `The certificate of ${at} is not trusted (${trouble.words}); $HALL_TLS_CA names a file with who signed it.`,
        );
      case "nobody there":
        throw new NoHall(`No hall answers at ${at} (${trouble.words}); hall serve starts one.`);
    }
  }
}

const silentAt = (address: HallAddress): NoHall =>
  new NoHall(
    `What listens at ${showAddress(address)} does not answer as a hall does; see whether it is one.`,
  );

/** The work's outcome, or after `ms` milliseconds what `failed` makes. */
async function within<Value>(
  { clock, ms, failed }: { clock: Clock; ms: number; failed: () => Error },
  work: Promise<Value>,
): Promise<Value> {
  let cancel: Cancel = () => {};
  const late = new Promise<never>((_, reject) => {
    cancel = clock.after(ms, () => reject(failed()));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}

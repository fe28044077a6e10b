import net from "node:net";
import type { Origin } from "../hall/origin.ts";
import { isLoopback } from "./loopback.ts";
import { type Ends, isSameUser } from "./same-user.ts";

export interface ArrivalsOptions {
  readonly via: Origin["via"];
  /** Every user of this machine is trusted, not the hall's own alone. */
  trustLoopback(): boolean;
  /** Whether the hall's own user is at the other end: by the kernel's word, unless a test has another. */
  isSameUser?(ends: Ends): boolean;
}

/** Where the connections of one listener come from: looked up when each is accepted, before a byte of it is read. */
export class Arrivals {
  readonly #options: ArrivalsOptions;
  readonly #origins = new Map<string, Origin>();

  constructor(options: ArrivalsOptions) {
    this.#options = options;
  }

  /** A connection was accepted. */
  met(socket: net.Socket): Origin {
    const { via, isSameUser: proven = isSameUser } = this.#options;
    const { remoteAddress, remotePort } = socket;
    const local = remoteAddress !== undefined && isLoopback(remoteAddress);
    const trusted = local && (this.#options.trustLoopback() || proven(socket));
    // A connection that is over already has no address any more.
    const address = remoteAddress === undefined ? "gone" : addressOf(remoteAddress, remotePort ?? 0);
    const origin: Origin = { via, local, trusted, address };
    const key = keyOf(socket);
    this.#origins.set(key, origin);
    socket.once("close", () => {
      if (this.#origins.get(key) === origin) this.#origins.delete(key);
    });
    return origin;
  }

  /** As `met` found it, for the same connection, also when TLS has been put around it. Undefined: it is over. */
  of(socket: Ends): Origin | undefined {
    return this.#origins.get(keyOf(socket));
  }
}

const keyOf = ({ remoteAddress, remotePort, localAddress, localPort }: Ends): string =>
  [remoteAddress, remotePort, localAddress, localPort].join(" ");

/** `host:port`, IPv6 in brackets, IPv4 never as mapped into it. */
export function addressOf(host: string, port: number): string {
  const plain = host.replace(/^::ffff:(?=\d+\.)/i, "");
  return net.isIPv6(plain) ? `[${plain}]:${port}` : `${plain}:${port}`;
}

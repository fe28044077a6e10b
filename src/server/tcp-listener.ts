import net from "node:net";
import { failure } from "../acp/errors.ts";
import type { Clock } from "../ground/clock.ts";
import type { Origin } from "../hall/origin.ts";
import type { Shares } from "../wire/shares.ts";
import { StreamTransport } from "../wire/streams.ts";
import { KEEPALIVE_MS } from "../wire/tcp.ts";
import type { Transport } from "../wire/transport.ts";
import { Doorman } from "./doorman.ts";
import { Farewells } from "./farewells.ts";
import { explain, listen } from "./listen.ts";
import { isLoopback } from "./loopback.ts";
import { type Ends, isSameUser } from "./same-user.ts";
import { SilentPeers } from "./silent-peers.ts";

export interface TcpListenerOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly clock: Clock;
  readonly shares: Shares;
  /** Every user of this machine is trusted, not the hall's own alone. */
  readonly trustLoopback: boolean;
  /** Who is not trusted is let in all the same, to show a token in its first request. */
  readonly tokens: boolean;
  /** A connection was let in. Its transport is still to be started. */
  accept(transport: Transport, origin: Origin): void;
  /** Somebody was turned away at the door. */
  refused?(address: string): void;
  /** Somebody who was let in vanished without a word while there was something to tell. */
  lost?(address: string): void;
  /** Something failed that is no single connection's, as when files run out. The listener goes on. */
  report(error: Error): void;
  /** Whether the hall's own user is at the other end: by the kernel's word, unless a test has another. */
  isSameUser?(ends: Ends): boolean;
}

/** The hall's TCP port. */
export class TcpListener {
  readonly #server: net.Server;
  readonly #options: TcpListenerOptions;
  readonly #farewells: Farewells;
  readonly #silent: SilentPeers;

  private constructor(options: TcpListenerOptions) {
    this.#options = options;
    this.#farewells = new Farewells(options.clock);
    this.#silent = new SilentPeers({
      clock: options.clock,
      lost: ({ remoteAddress = "", remotePort = 0 }) => options.lost?.(addressOf(remoteAddress, remotePort)),
    });
    this.#server = net.createServer(
      {
        allowHalfOpen: true,
        pauseOnConnect: true,
        noDelay: true,
        keepAlive: true,
        keepAliveInitialDelay: KEEPALIVE_MS,
      },
      (socket) => this.#meet(socket),
    );
  }

  /** Rejects with `ListenFailed`. */
  static async open(options: TcpListenerOptions): Promise<TcpListener> {
    const { host, port, report } = options;
    const listener = new TcpListener(options);
    try {
      await listen(listener.#server, { host, port });
    } catch (error) {
      throw explain(addressOf(host, port), error);
    }
    listener.#server.on("error", report);
    return listener;
  }

  /** `host:port`, as it was bound. */
  get address(): string {
    const bound = this.#server.address();
    return bound === null || typeof bound === "string" ? "closed" : addressOf(bound.address, bound.port);
  }

  /** Lets nobody in any more. Who is in stays. */
  close(): void {
    this.#server.close();
  }

  #meet(socket: net.Socket): void {
    const origin = this.#originOf(socket);
    const transport = new StreamTransport(socket, socket, this.#options.shares);
    if (!origin.trusted && !this.#options.tokens) {
      this.#options.refused?.(origin.address);
      this.#farewells.turnAway(transport, notOurUser());
      return;
    }
    this.#silent.watch(socket);
    this.#options.accept(new Doorman(transport, this.#farewells), origin);
  }

  #originOf(socket: net.Socket): Origin {
    const { trustLoopback, isSameUser: proven = isSameUser } = this.#options;
    const { remoteAddress, remotePort } = socket;
    const local = remoteAddress !== undefined && isLoopback(remoteAddress);
    const trusted = local && (trustLoopback || proven(socket));
    // A connection that is over already has no address any more.
    const address = remoteAddress === undefined ? "gone" : addressOf(remoteAddress, remotePort ?? 0);
    return { via: "tcp", local, trusted, address };
  }
}

const notOurUser = () =>
  failure(
    "not_authorized",
    "This hall lets in whoever is proven to be its own user, which this connection is not: " +
      'use its UNIX socket, or set "trust_loopback: true" in its roster to let in every user of its machine.',
  );

function addressOf(host: string, port: number): string {
  const plain = host.replace(/^::ffff:(?=\d+\.)/i, "");
  return net.isIPv6(plain) ? `[${plain}]:${port}` : `${plain}:${port}`;
}

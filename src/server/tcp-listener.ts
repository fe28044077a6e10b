import net from "node:net";
import tls from "node:tls";
import { failure } from "../acp/errors.ts";
import type { Clock } from "../ground/clock.ts";
import type { Refused } from "../hall/events.ts";
import type { Origin } from "../hall/origin.ts";
import type { Shares } from "../wire/shares.ts";
import { StreamTransport } from "../wire/streams.ts";
import { KEEPALIVE_MS } from "../wire/tcp.ts";
import type { Transport } from "../wire/transport.ts";
import { Arrivals, addressOf } from "./arrivals.ts";
import { Doorman } from "./doorman.ts";
import { Farewells } from "./farewells.ts";
import { Handshakes } from "./handshakes.ts";
import { boundAddress, listenOnPort } from "./listen.ts";
import type { Ends } from "./same-user.ts";
import { SilentPeers } from "./silent-peers.ts";

export interface TcpListenerOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** undefined: what is said here can be read on the way. */
  readonly tls?: tls.TlsOptions | undefined;
  readonly clock: Clock;
  readonly shares: Shares;
  /** Every user of this machine is trusted, not the hall's own alone. */
  trustLoopback(): boolean;
  /** Who is not trusted is let in all the same, to show a token in its first request. */
  tokens(): boolean;
  /** A connection was let in. Its transport is still to be started. */
  accept(transport: Transport, origin: Origin): void;
  /** Somebody was turned away at the door. */
  refused?(origin: Origin, why: Refused): void;
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
  /** The same, where it speaks TLS. */
  readonly #secure: tls.Server | undefined;
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
    const arrivals = new Arrivals({ via: "tcp", ...options });
    const common = {
      allowHalfOpen: true,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEPALIVE_MS,
    };
    if (options.tls) {
      const server = tls.createServer({ ...options.tls, ...common });
      this.#server = server;
      this.#secure = server;
      new Handshakes(server, arrivals, {
        done: (socket, origin) => this.#meet(socket, origin),
        failed: (origin) => options.refused?.(origin, "tls"),
      });
    } else {
      this.#server = net.createServer({ ...common, pauseOnConnect: true }, (socket) =>
        this.#meet(socket, arrivals.met(socket)),
      );
    }
  }

  /** Rejects with `ListenFailed`. */
  static async open(options: TcpListenerOptions): Promise<TcpListener> {
    const listener = new TcpListener(options);
    await listenOnPort(listener.#server, options);
    return listener;
  }

  /** `host:port`, as it was bound. */
  get address(): string {
    return boundAddress(this.#server);
  }

  /** Other certificates, for connections that come from now on; nothing where it speaks no TLS. */
  renew(options: tls.SecureContextOptions): void {
    this.#secure?.setSecureContext(options);
  }

  get isOpen(): boolean {
    return this.#server.listening;
  }

  /** Lets nobody in any more. Who is in stays. */
  close(): void {
    this.#server.close();
  }

  #meet(socket: net.Socket, origin: Origin): void {
    const transport = new StreamTransport(socket, socket, this.#options.shares);
    if (origin.trusted || this.#options.tokens()) {
      this.#silent.watch(socket);
      const mistaken = (): void => this.#options.refused?.(origin, "not_acp");
      this.#options.accept(new Doorman(transport, this.#farewells, mistaken), origin);
      return;
    }
    this.#options.refused?.(origin, "not_this_user");
    this.#farewells.turnAway(transport, notOurUser());
  }
}

const notOurUser = () =>
  failure(
    "not_authorized",
    "This hall has no tokens, and lets in whoever is proven to be its own user, which this connection is not: " +
      'use its UNIX socket, make a token with hall token add, or set "trust_loopback: true" in its roster to let in ' +
      "every user of its machine.",
  );

import type net from "node:net";
import type tls from "node:tls";
import type { Origin } from "../hall/origin.ts";
import type { Arrivals } from "./arrivals.ts";

/** Handshakes that may be under way; one more is cut off. */
const UNDER_WAY = 64;

export interface HandshakesReceiver {
  done(socket: tls.TLSSocket, origin: Origin): void;
  failed(origin: Origin): void;
}

/** The TLS handshakes of one listener, from accept on: few at a time, and whoever began one is known all along. */
export class Handshakes {
  #underWay = 0;

  constructor(server: tls.Server, arrivals: Arrivals, receiver: HandshakesReceiver) {
    const raw = new Map<Origin, net.Socket>();
    const over = (origin: Origin): void => {
      if (raw.delete(origin)) this.#underWay -= 1;
    };
    // Before TLS's own listener, which begins to read.
    server.prependListener("connection", (socket: net.Socket) => {
      const origin = arrivals.met(socket);
      if (this.#underWay >= UNDER_WAY) {
        receiver.failed(origin);
        socket.destroy();
        return;
      }
      this.#underWay += 1;
      raw.set(origin, socket);
      socket.once("close", () => {
        if (raw.has(origin)) receiver.failed(origin);
        over(origin);
      });
    });
    server.on("secureConnection", (socket: tls.TLSSocket) => {
      const origin = arrivals.of(socket);
      if (!origin) {
        socket.destroy();
        return;
      }
      over(origin);
      receiver.done(socket, origin);
    });
    // What went wrong is the other side's; the socket is closed then, and counted there.
    server.on("tlsClientError", (_error, socket) => socket.destroy());
  }
}

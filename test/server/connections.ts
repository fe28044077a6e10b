import net from "node:net";
import type { Receiver, Transport } from "../../src/wire/transport.ts";

/** What one side of a connection got to hear. */
export class Ear implements Receiver {
  text = "";
  isEnded = false;
  isClosed = false;
  readonly closes: Promise<void>;
  #close: () => void = () => {};

  constructor() {
    this.closes = new Promise((resolve) => {
      this.#close = resolve;
    });
  }

  chunk(bytes: Buffer): void {
    this.text += bytes.toString();
  }

  ended(): void {
    this.isEnded = true;
  }

  closed(): void {
    this.isClosed = true;
    this.#close();
  }
}

/** Starts a transport and listens to it. */
export function listenTo(transport: Transport): Ear {
  const ear = new Ear();
  transport.start(ear);
  return ear;
}

/** The host and port of `host:port`, IPv6 in brackets. */
export function place(address: string): { host: string; port: number } {
  const colon = address.lastIndexOf(":");
  const host = address.slice(0, colon).replace(/^\[(.*)\]$/, "$1");
  return { host, port: Number(address.slice(colon + 1)) };
}

/** Connects, sends `first`, and answers all that comes until the other side ends. */
export function converse(to: net.NetConnectOpts, first: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ ...to, allowHalfOpen: true });
    let text = "";
    socket.setEncoding("utf8");
    socket.on("data", (piece: string) => {
      text += piece;
    });
    socket.on("error", reject);
    socket.on("end", () => {
      socket.end();
      resolve(text);
    });
    socket.write(first);
  });
}

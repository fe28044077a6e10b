import { once } from "node:events";
import net from "node:net";
import { onTestFinished } from "vitest";
import { StreamTransport } from "../../src/wire/streams.ts";
import type { Transport } from "../../src/wire/transport.ts";

/** Two ends of one TCP connection on this machine, as a hall has them: either may end while the other goes on. */
export async function tcpPair(): Promise<[net.Socket, net.Socket]> {
  const server = net.createServer({ allowHalfOpen: true, pauseOnConnect: true });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("no port");
  const client = net.connect({ port: bound.port, host: "127.0.0.1", allowHalfOpen: true });
  const [[accepted]] = await Promise.all([once(server, "connection"), once(client, "connect")]);
  server.close();
  onTestFinished(() => {
    client.destroy();
    accepted.destroy();
  });
  return [accepted, client];
}

export const overSocket = (socket: net.Socket): Transport => new StreamTransport(socket, socket);

/** A transport that was started, and what came of it. */
export class Listener {
  readonly transport: Transport;
  /** "chunk" is left out. */
  readonly heard: string[] = [];
  readonly errors: (Error | undefined)[] = [];
  readonly closed: Promise<void>;
  readonly ended: Promise<void>;
  received = 0;
  text = "";

  constructor(transport: Transport) {
    this.transport = transport;
    let close = (): void => {};
    let end = (): void => {};
    this.closed = new Promise((resolve) => {
      close = resolve;
    });
    this.ended = new Promise((resolve) => {
      end = resolve;
    });
    transport.start({
      chunk: (bytes) => {
        this.received += bytes.length;
        if (this.text.length < 10_000) this.text += bytes.toString();
      },
      ended: () => {
        this.heard.push("ended");
        end();
      },
      closed: (error) => {
        this.heard.push("closed");
        this.errors.push(error);
        close();
      },
    });
    transport.resume();
  }
}

import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocket, WebSocketServer } from "ws";
import { isFields } from "../acp/checks.ts";
import { AgentMethod } from "../acp/methods.ts";
import type { Clock } from "../ground/clock.ts";
import { parsed } from "../ground/json.ts";
import type { Origin } from "../hall/origin.ts";
import type { Shares } from "../wire/shares.ts";
import type { Transport } from "../wire/transport.ts";
import { WebSocketTransport } from "../wire/websocket.ts";

export interface WebSocketDoorParts {
  clock: Clock;
  /** Bytes of the longest message, for connections that come from now on. */
  limit(): number;
  shares: Shares;
  /** A connection was let in. Its transport is still to be started. */
  accept(transport: Transport, origin: Origin): { readonly initialized: boolean };
}

/** Close codes (RFC 6455, 7.4.1). */
const PROTOCOL_ERROR = 1002;
const TOO_BIG = 1009;

/** How long one that is sent away has to read why, in milliseconds. */
const LEAVE_WITHIN_MS = 1_000;

/** Bytes of a message, and what may come in the same read as its end, before anybody was let in. */
const STRANGERS_BYTES = 2 * 64 * 1024;

/** Makes clients of connections that asked to become WebSockets and may. */
export class WebSocketDoor {
  readonly #parts: WebSocketDoorParts;
  #server: WebSocketServer | undefined;

  constructor(parts: WebSocketDoorParts) {
    this.#parts = parts;
  }

  open(request: IncomingMessage, stream: Duplex, head: Buffer, origin: Origin): void {
    const { accept, clock, shares } = this.#parts;
    this.#serverOfNow().handleUpgrade(request, stream, head, (socket) => {
      const first = refuseUnlessInitialize;
      const transport = new WebSocketTransport(socket, stream, clock, { first, shares });
      const client = accept(transport, origin);
      this.#bound(socket, stream, () => client.initialized);
    });
  }

  #serverOfNow(): WebSocketServer {
    const maxPayload = this.#parts.limit();
    if (this.#server?.options.maxPayload === maxPayload) return this.#server;
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload,
      WebSocket: TalkingWebSocket,
    });
    this.#server.on("headers", (headers) => headers.push(`Acp-Connection-Id: ${randomUUID()}`));
    return this.#server;
  }

  /** A message of a stranger is short: a longer one is not even kept. */
  #bound(socket: WebSocket, stream: Duplex, isIn: () => boolean): void {
    let bytes = 0;
    socket.on("message", () => {
      bytes = 0;
    });
    const count = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (!isIn() && bytes <= STRANGERS_BYTES) return;
      stream.off("data", count);
      if (isIn()) return;
      socket.close(TOO_BIG, "A message before initialize was accepted is too long.");
      // What else comes is not even read.
      socket.pause();
      this.#parts.clock.after(LEAVE_WITHIN_MS, () => socket.terminate());
    };
    stream.on("data", count);
  }
}

const refuseUnlessInitialize = (message: Buffer): { code: number; reason: string } | undefined => {
  const first = parsed(message.toString());
  if (isFields(first) && first.method === AgentMethod.initialize) return undefined;
  return { code: PROTOCOL_ERROR, reason: "The first message must be initialize." };
};

/** Says why, where the library closes by a code alone. */
class TalkingWebSocket extends WebSocket {
  override close(code?: number, reason?: string | Buffer): void {
    super.close(
      code,
      reason ?? (code === TOO_BIG ? "The message is longer than limits.line of this hall." : reason),
    );
  }
}

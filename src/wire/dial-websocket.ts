import type { ConnectionOptions } from "node:tls";
import type { Clock } from "../ground/clock.ts";
import type { Transport } from "./transport.ts";
import { WebSocketTransport } from "./websocket.ts";

export interface WebSocketCall {
  /** `ws://…` or `wss://…`. */
  url: string;
  /** Goes with the first request, as `Authorization: Bearer`. */
  token: string | undefined;
  tls: ConnectionOptions;
  clock: Clock;
}

/** The other side answered, and not with a WebSocket. */
export class NotUpgraded extends Error {
  /** HTTP's. */
  readonly status: number;

  constructor(status: number, words: string) {
    super(words === "" ? `It answered HTTP ${status}.` : words);
    this.name = "NotUpgraded";
    this.status = status;
  }
}

const HANDSHAKE_MS = 15_000;
/** What a refusal says; more of it is nobody's words to us. */
const WORDS = 1_000;

/** Connects. Rejects with NotUpgraded, or Node's own error (`code`: ECONNREFUSED, …). */
export async function dialWebSocket({ url, token, tls, clock }: WebSocketCall): Promise<Transport> {
  const { WebSocket } = await import("ws");
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, {
      ...tls,
      headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
      perMessageDeflate: false,
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: 0,
    });
    socket.once("error", reject);
    socket.on("unexpected-response", (request, response) => {
      let words = "";
      response.setEncoding("utf8");
      response.on("data", (piece: string) => {
        if (words.length < WORDS) words += piece;
      });
      response.on("close", () => {
        request.destroy();
        reject(new NotUpgraded(response.statusCode ?? 0, words.trim().slice(0, WORDS)));
      });
    });
    socket.once("upgrade", (response) => {
      socket.once("open", () => {
        socket.off("error", reject);
        resolve(new WebSocketTransport(socket, response.socket, clock));
      });
    });
  });
}

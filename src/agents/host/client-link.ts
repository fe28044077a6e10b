import { type Fields, resultOf } from "../../acp/checks.ts";
import { CANCEL_REQUEST, UPDATE } from "../../acp/methods.ts";
import { encode } from "../../wire/message.ts";
import type { Peer, Reply } from "../../wire/peer.ts";
import { ClientError } from "./client-error.ts";

/** Bytes that may wait for the client before an agent that asks is held back. */
const ROOM_BYTES = 1024 * 1024;

/** An update that does not fit into a line. */
export class UpdateTooLong extends Error {
  readonly bytes: number;

  constructor(kind: string, bytes: number, limit: number) {
    super(`An update (${kind}) of ${bytes} bytes is over the ${limit} bytes of a line; send less at once.`);
    this.bytes = bytes;
  }
}

/** How one session speaks to its client. */
export class ClientLink {
  readonly #peer: Peer;
  readonly #sessionId: string;
  readonly #lineLimit: number;
  readonly #told: (update: Fields) => void;

  /**
   * @param lineLimit bytes of the longest line that the client takes
   * @param told hears each update that went out
   */
  constructor(peer: Peer, sessionId: string, lineLimit: number, told: (update: Fields) => void = () => {}) {
    this.#peer = peer;
    this.#sessionId = sessionId;
    this.#lineLimit = lineLimit;
    this.#told = told;
  }

  /** Throws `UpdateTooLong` when the update does not fit into a line: the client would end the connection, and with it the process. */
  update(update: Fields): void {
    const line = encode({ jsonrpc: "2.0", method: UPDATE, params: { sessionId: this.#sessionId, update } });
    if (line.length > this.#lineLimit)
      throw new UpdateTooLong(String(update.sessionUpdate), line.length, this.#lineLimit);
    this.#peer.send(line);
    this.#told(update);
  }

  /** Resolves when little waits for the client. */
  room(): Promise<void> {
    const { transport } = this.#peer;
    if (transport.backlog <= ROOM_BYTES) return Promise.resolve();
    return new Promise((resolve) => transport.onDrain(resolve));
  }

  /** Asks. Rejects with the client's error; or with the signal's reason, and the request is taken back. */
  async ask(method: string, params: Fields, signal: AbortSignal): Promise<Fields> {
    signal.throwIfAborted();
    const reply = await new Promise<Reply>((resolve, reject) => {
      const takeBack = (): void => {
        this.#peer.notify(CANCEL_REQUEST, { requestId: id });
        this.#peer.forget(id);
        reject(signal.reason);
      };
      const id = this.#peer.request(method, { sessionId: this.#sessionId, ...params }, (answer) => {
        signal.removeEventListener("abort", takeBack);
        resolve(answer);
      });
      signal.addEventListener("abort", takeBack, { once: true });
    });
    if (reply.ok) return resultOf(reply.result);
    throw new ClientError(reply.error.code, reply.error.message, reply.error.data);
  }
}

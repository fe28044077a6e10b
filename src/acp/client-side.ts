import { isId } from "../wire/message.ts";
import { type IncomingRequest, Peer, type Settle } from "../wire/peer.ts";
import { Shortcut } from "../wire/shortcut.ts";
import type { Transport } from "../wire/transport.ts";
import { type Fields, isFields } from "./checks.ts";
import { methodNotFound } from "./errors.ts";
import { CANCEL, CANCEL_REQUEST, UPDATE } from "./methods.ts";
import { UPDATE_ENDING, updateBeginning } from "./updates.ts";

export interface ClientHandlers {
  /** A `session/update`, in the pass in which it was read. `line` is as it came, without its newline. */
  update(sessionId: string, params: Fields, line: Buffer): void;
  /** A request of the agent's. False: there is no such method here. */
  request(request: IncomingRequest): boolean;
  /** The agent takes a request of its own back. */
  withdrawn(request: IncomingRequest): void;
  /** Any other notification. */
  notification(method: string, params: Fields, line: Buffer): void;
  /** Something on the agent's stdout that is no message. */
  noise(line: Buffer): void;
  /** A line of the agent's is over the limit; nothing more is read. */
  tooLong(limit: number): void;
  readEnd(): void;
  /** The agent will say nothing more; what was asked of it was settled as lost. */
  ended(): void;
  /** The agent takes nothing any more. */
  unheard?(): void;
  noticed(what: string, error?: unknown): void;
}

/** Drives one connected agent: what an editor does, and a hall with each agent behind it. */
export class ClientSide {
  readonly peer: Peer;

  constructor(transport: Transport, lineLimit: number, handlers: ClientHandlers) {
    this.peer = new Peer(transport, lineLimit, {
      request: (request) => {
        if (!handlers.request(request)) request.fail(methodNotFound(request.method).body);
      },
      notification: (method, params, line) => {
        if (!isFields(params)) return;
        if (method === UPDATE && typeof params.sessionId === "string") {
          handlers.update(params.sessionId, params, line);
          return;
        }
        if (method !== CANCEL_REQUEST) {
          handlers.notification(method, params, line);
          return;
        }
        const { requestId } = params;
        const open = isId(requestId) ? this.peer.openRequest(requestId) : undefined;
        if (open) handlers.withdrawn(open);
      },
      // Never answered: an answer with id null would only be one more line that the agent did not expect.
      fault: (_fault, line) => handlers.noise(line),
      stray: (id) => handlers.noticed(`an answer to nothing that was asked (id ${JSON.stringify(id)})`),
      readEnd: () => handlers.readEnd(),
      tooLong: (limit) => handlers.tooLong(limit),
      ended: () => handlers.ended(),
      unheard: () => handlers.unheard?.(),
      closed: () => {},
      broke: (error) => handlers.noticed("a line met a defect", error),
    });
  }

  start(): void {
    this.peer.start();
  }

  /**
   * From now on the updates of this session that are spelled as nearly all are go to `take` and nowhere else: `rest`
   * is the line from the value of `update` on. For one session at a time; it only saves time.
   */
  expectUpdates(sessionId: string, take: (update: Fields, rest: Buffer) => void): void {
    this.peer.shortcut = new Shortcut(updateBeginning(sessionId), UPDATE_ENDING, (value, rest) =>
      take(isFields(value) ? value : {}, rest),
    );
  }

  expectNoUpdates(): void {
    this.peer.shortcut = undefined;
  }

  /** Asks; `settle` runs in order with everything else that the agent sends. */
  request(method: string, params: Fields, settle: Settle): void {
    this.peer.request(method, params, settle);
  }

  cancel(sessionId: string): void {
    this.peer.notify(CANCEL, { sessionId });
  }
}

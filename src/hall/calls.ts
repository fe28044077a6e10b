import { type Fields, isFields } from "../acp/checks.ts";
import { Code, failure, methodNotFound, requestCancelled } from "../acp/errors.ts";
import { ClientMethod, ELICITATION_COMPLETE, isExtension } from "../acp/methods.ts";
import type { IncomingRequest, Reply } from "../wire/peer.ts";
import type { Seat } from "./seat.ts";
import type { Served } from "./served.ts";
import type { Slot } from "./slot.ts";

export interface CallsParts {
  slot(): Slot;
  /** The client whose turn runs, if it is there. */
  sender(): Seat | undefined;
  /** Clients that look on and have not gone. */
  audience(): Seat[];
  /** What the hall itself serves of the session's files and terminals. */
  served: Served;
  /** The agent has a client's answer to one of its calls. */
  answered(): void;
  noticed(what: string, detail?: unknown): void;
}

/** A call of the agent's that a client has. */
interface Relayed {
  seat: Seat;
  bytes: number;
  takeBack: () => void;
}

/** Calls that may wait in one session, and bytes of them beside the first. */
const OPEN_LIMIT = 256;
const OPEN_BYTES = 16 * 1024 * 1024;

/**
 * What an agent asks of its client beside permission: files, terminals, forms, methods of a vendor's. Each goes
 * to the one client whose turn runs, or is served by the hall; never to a third, never to two.
 */
export class AgentCalls {
  readonly #parts: CallsParts;
  readonly #relayed = new Map<IncomingRequest, Relayed>();
  /** Terminals that a client made: all further calls about one are for it. */
  readonly #terminals = new Map<string, Seat>();
  /** Forms that were shown by URL: their end is told to the same client. */
  readonly #elicitations = new Map<string, Seat>();

  constructor(parts: CallsParts) {
    this.#parts = parts;
  }

  /** A client is to answer one of them. That a command goes on in its terminal is no call that waits for a client. */
  get anyWithClient(): boolean {
    return [...this.#relayed.keys()].some(({ method }) => method !== ClientMethod.waitForTerminal);
  }

  /** `line`: the request as it goes to a client. False: there is no such method. */
  take(request: IncomingRequest, params: Fields, line: Buffer): boolean {
    const { method } = request;
    const waiting = this.#relayed.size;
    if (waiting >= OPEN_LIMIT || (waiting > 0 && this.#waitingBytes + line.length > OPEN_BYTES)) {
      this.#parts.noticed(`${waiting} calls of the agent wait already; ${method} was refused`);
      const sentence = `${waiting} calls of this session wait already, which is as much as may; wait for an answer to one of them.`;
      request.fail({ code: Code.internal, message: sentence });
      return true;
    }
    switch (method) {
      case ClientMethod.readTextFile:
      case ClientMethod.writeTextFile:
        this.#file(request, params, line);
        return true;
      case ClientMethod.createTerminal:
        this.#createTerminal(request, params, line);
        return true;
      case ClientMethod.terminalOutput:
      case ClientMethod.waitForTerminal:
      case ClientMethod.killTerminal:
      case ClientMethod.releaseTerminal:
        this.#terminal(request, params, line);
        return true;
      case ClientMethod.createElicitation:
        this.#elicit(request, params, line);
        return true;
      default:
        return isExtension(method) && this.#extension(request, line);
    }
  }

  /** A notification of the agent's that is no update. `line` as it goes to clients, without its newline. */
  passOn(method: string, params: Fields, line: Buffer): void {
    const lines = Buffer.concat([line, NEWLINE]);
    if (method === ELICITATION_COMPLETE) {
      const id = typeof params.elicitationId === "string" ? params.elicitationId : "";
      this.#elicitations.get(id)?.pass(lines);
      this.#elicitations.delete(id);
      return;
    }
    for (const seat of this.#parts.audience()) seat.pass(lines);
  }

  /** A tool call that shows a terminal of the hall's gets its output when that is released. */
  seeToolCall(update: Fields): void {
    const content = Array.isArray(update.content) ? update.content : [];
    for (const part of content) {
      if (!isFields(part) || part.type !== "terminal" || typeof part.terminalId !== "string") continue;
      if (typeof update.toolCallId === "string") this.#parts.served.shows(part.terminalId, update.toolCallId);
    }
  }

  /** The agent takes a call back. */
  withdrawn(request: IncomingRequest): void {
    const ours = this.#relayed.has(request) || this.#parts.served.withdrawn(request);
    this.#drop(request);
    if (ours) request.fail(requestCancelled(request.method).body);
  }

  /** The turn was cancelled: forms are closed, nobody waits for a terminal any more. */
  cancelled(): void {
    for (const request of [...this.#relayed.keys()]) {
      if (request.method === ClientMethod.createElicitation) {
        this.#drop(request);
        request.reply({ action: "cancel" });
      } else if (request.method === ClientMethod.waitForTerminal) {
        this.#drop(request);
        request.fail(requestCancelled("The wait for the terminal").body);
      }
    }
    this.#parts.served.stopWaiting();
  }

  /** A client sends nothing more: what was asked of it will not be answered. */
  viewerGone(seat: Seat): void {
    for (const [request, relayed] of [...this.#relayed]) {
      if (relayed.seat !== seat) continue;
      this.#drop(request);
      this.#gone(request);
    }
    for (const map of [this.#terminals, this.#elicitations]) {
      for (const [id, owner] of map) if (owner === seat) map.delete(id);
    }
  }

  /** The agent's process is over: nobody is left to answer, its terminals end with it. */
  agentGone(): void {
    for (const request of [...this.#relayed.keys()]) this.#drop(request);
    this.#terminals.clear();
    this.#elicitations.clear();
    this.#parts.served.endAll();
  }

  get #waitingBytes(): number {
    let bytes = 0;
    for (const relayed of this.#relayed.values()) bytes += relayed.bytes;
    return bytes;
  }

  #file(request: IncomingRequest, params: Fields, line: Buffer): void {
    const ability = request.method === ClientMethod.readTextFile ? "readTextFile" : "writeTextFile";
    const place = this.#place("fs", ability);
    if (place === "off") request.fail(methodNotFound(request.method).body);
    else if (place === "hall") this.#parts.served.file(request, params);
    else this.#relay(place, request, line);
  }

  #createTerminal(request: IncomingRequest, params: Fields, line: Buffer): void {
    const place = this.#place("terminal", "terminal");
    if (place === "off") request.fail(methodNotFound(request.method).body);
    else if (place === "hall") this.#parts.served.terminal(request, params);
    else {
      this.#relay(place, request, line, (reply) => {
        const id = reply.ok && isFields(reply.result) ? reply.result.terminalId : undefined;
        if (typeof id === "string") this.#terminals.set(id, place);
      });
    }
  }

  #terminal(request: IncomingRequest, params: Fields, line: Buffer): void {
    const id = typeof params.terminalId === "string" ? params.terminalId : "";
    const seat = this.#terminals.get(id);
    if (!seat) {
      this.#parts.served.terminal(request, params);
      return;
    }
    this.#relay(seat, request, line);
    if (request.method === ClientMethod.releaseTerminal) this.#terminals.delete(id);
  }

  #elicit(request: IncomingRequest, params: Fields, line: Buffer): void {
    const seat = this.#parts.sender() ?? this.#onlyOne();
    const { capabilities } = seat?.viewer ?? {};
    const can = params.mode === "url" ? capabilities?.elicitationUrl : capabilities?.elicitationForm;
    if (!seat || !can) {
      request.reply({ action: "cancel" });
      return;
    }
    if (typeof params.elicitationId === "string") this.#elicitations.set(params.elicitationId, seat);
    this.#relay(seat, request, line);
  }

  #extension(request: IncomingRequest, line: Buffer): boolean {
    const seat = this.#parts.sender() ?? this.#onlyOne();
    if (!seat) return false;
    this.#relay(seat, request, line);
    return true;
  }

  /** Who serves a call of this kind: the sender if it can and means the same machine, else the hall. */
  #place(
    kind: "fs" | "terminal",
    ability: "readTextFile" | "writeTextFile" | "terminal",
  ): Seat | "hall" | "off" {
    const { [kind]: way, servedHere } = this.#parts.slot().ways;
    if (way === "off") return "off";
    const seat = this.#parts.sender();
    const able = seat?.viewer.capabilities[ability] === true;
    if (seat && able && (seat.viewer.local || way === "client")) return seat;
    return servedHere ? "hall" : "off";
  }

  /** Outside of a turn a call can only be meant for a client if there is just one. */
  #onlyOne(): Seat | undefined {
    const audience = this.#parts.audience();
    return audience.length === 1 ? audience[0] : undefined;
  }

  #relay(seat: Seat, request: IncomingRequest, line: Buffer, also?: (reply: Reply) => void): void {
    const takeBack = seat.call(line, (reply) => {
      this.#relayed.delete(request);
      this.#parts.answered();
      also?.(reply);
      if (reply.bytes) request.relay(reply.bytes);
      else if (!reply.ok && !reply.lost) request.fail(reply.error);
      else this.#gone(request);
    });
    this.#relayed.set(request, { seat, bytes: line.length, takeBack });
  }

  #drop(request: IncomingRequest): void {
    const relayed = this.#relayed.get(request);
    this.#relayed.delete(request);
    relayed?.takeBack();
  }

  #gone(request: IncomingRequest): void {
    const sentence = `The client that had ${request.method} has gone; it is not known whether it was done.`;
    request.fail(failure("client_gone", sentence).body);
  }
}

const NEWLINE = Buffer.from("\n");

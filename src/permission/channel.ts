import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { type Fields, isFields } from "../acp/checks.ts";
import { invalidParams, methodNotFound, RpcError } from "../acp/errors.ts";
import { CANCEL_REQUEST } from "../acp/methods.ts";
import { makeOwnFolder } from "../ground/own-folder.ts";
import { type IncomingRequest, Peer } from "../wire/peer.ts";
import { StreamTransport } from "../wire/streams.ts";
import {
  ASK,
  type HookAnswer,
  type HookQuestion,
  readHookQuestion,
  refusedUnasked,
} from "./hook-question.ts";

/** Questions that may be open on one socket; one more is refused at once. */
const OPEN_LIMIT = 16;
/** Connections that one socket has at once; one more is closed. */
const CONNECTION_LIMIT = 64;

export interface ChannelHandlers {
  /** A question that nothing is wrong with. `answer` counts once; it may come at once or later. */
  ask(question: HookQuestion, asker: object, answer: (answer: HookAnswer) => void): void;
  /** Whoever asked is gone, or takes its question back: no answer is wanted. */
  withdrawn(asker: object): void;
  noticed(what: string, detail?: unknown): void;
}

/**
 * The UNIX socket of one agent process, on which its hooks ask whether they may. Each connection speaks JSON-RPC on
 * lines. Whoever can open it is the hall's own user.
 */
export class Channel {
  readonly path: string;
  readonly #server: net.Server;
  readonly #handlers: ChannelHandlers;
  readonly #lineLimit: number;
  readonly #peers = new Set<Peer>();
  readonly #open = new Set<IncomingRequest>();

  /** Listens from here on. What keeps it from that is told to the log, and then nobody can ask: that is a no. */
  constructor(file: string, lineLimit: number, handlers: ChannelHandlers) {
    this.path = file;
    this.#handlers = handlers;
    this.#lineLimit = lineLimit;
    this.#server = net.createServer({ allowHalfOpen: true }, (socket) => this.#connected(socket));
    this.#server.on("error", (error) => handlers.noticed("nobody can ask by the per-run socket", error));
    makeOwnFolder(path.dirname(file));
    // Node binds it before this returns; until then its folder keeps the others out.
    this.#server.listen(file);
    if (fs.existsSync(file)) fs.chmodSync(file, 0o600);
    this.#server.unref();
  }

  /** The process is over: the socket goes, and whoever still asks is refused by that. */
  close(): void {
    this.#server.close();
    for (const peer of [...this.#peers]) peer.destroy();
  }

  #connected(socket: net.Socket): void {
    if (this.#peers.size >= CONNECTION_LIMIT) {
      socket.on("error", () => {});
      socket.destroy();
      return;
    }
    const asked = new Set<IncomingRequest>();
    const gone = (): void => {
      for (const request of asked) this.#withdraw(request);
      asked.clear();
    };
    const peer: Peer = new Peer(new StreamTransport(socket, socket), this.#lineLimit, {
      request: (request) => this.#request(request, asked),
      notification: (method, params) => {
        const id = method === CANCEL_REQUEST && isFields(params) ? params.requestId : undefined;
        const request = [...asked].find((one) => one.id === id);
        if (request) this.#takeBack(request);
      },
      fault: (fault) => peer.complain(fault.id, { code: fault.code, message: fault.message }),
      stray: () => {},
      readEnd: () => {},
      tooLong: (limit) => {
        peer.complain(null, { code: -32600, message: `The line exceeds ${limit} bytes.` });
        peer.close();
      },
      // Whoever asks stays to hear the answer.
      ended: () => {
        gone();
        peer.close();
      },
      closed: () => {
        gone();
        this.#peers.delete(peer);
      },
      broke: (error) => this.#handlers.noticed("a question of the per-run socket met a defect", error),
    });
    this.#peers.add(peer);
    peer.start();
  }

  #request(request: IncomingRequest, asked: Set<IncomingRequest>): void {
    if (request.method !== ASK) {
      request.fail(methodNotFound(request.method).body);
      return;
    }
    const question = questionOf(request.params);
    if (question instanceof RpcError) request.fail(question.body);
    else if (this.#open.size >= OPEN_LIMIT)
      request.reply(
        refusedUnasked(`${OPEN_LIMIT} questions of this process are open already; this one was refused.`),
      );
    else {
      this.#open.add(request);
      asked.add(request);
      this.#handlers.ask(question, request, (answer) => {
        this.#open.delete(request);
        asked.delete(request);
        request.reply(answer);
      });
    }
  }

  #takeBack(request: IncomingRequest): void {
    this.#withdraw(request);
    request.reply(refusedUnasked("The question was taken back."));
  }

  #withdraw(request: IncomingRequest): void {
    if (this.#open.delete(request)) this.#handlers.withdrawn(request);
  }
}

function questionOf(params: unknown): HookQuestion | RpcError {
  const fields: Fields | undefined = isFields(params) ? params : undefined;
  return (
    (fields && readHookQuestion(fields)) ??
    invalidParams(`${ASK} needs a "tool": the name of what is to run.`)
  );
}

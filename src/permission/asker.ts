import { isFields } from "../acp/checks.ts";
import { Code, invalidParams, methodNotFound } from "../acp/errors.ts";
import { CANCEL_REQUEST } from "../acp/methods.ts";
import { type IncomingRequest, Peer } from "../wire/peer.ts";
import type { Transport } from "../wire/transport.ts";
import {
  ASK,
  type HookAnswer,
  type HookQuestion,
  readHookQuestion,
  refusedUnasked,
} from "./hook-question.ts";

export interface AskerParts {
  /** Bytes that a line of its may have. */
  lineLimit: number;
  /** Why no more questions are taken; undefined: there is room for one. */
  full(): string | undefined;
  /** A question that nothing is wrong with. `answer` counts once; it may come at once or later. */
  ask(question: HookQuestion, asker: object, answer: (answer: HookAnswer) => void): void;
  /** Whoever asked is gone, or takes its question back: no answer is wanted. */
  withdrawn(asker: object): void;
  closed(): void;
  noticed(what: string, detail?: unknown): void;
}

/** One program that asks on a per-run socket: its connection, and the questions of its that are open. */
export class Asker {
  readonly #parts: AskerParts;
  readonly #peer: Peer;
  readonly #open = new Set<IncomingRequest>();

  constructor(transport: Transport, parts: AskerParts) {
    this.#parts = parts;
    const peer: Peer = new Peer(transport, parts.lineLimit, {
      request: (request) => this.#request(request),
      notification: (method, params) => this.#notified(method, params),
      fault: ({ id, code, message }) => peer.complain(id, { code, message }),
      stray() {},
      readEnd() {},
      tooLong(limit) {
        peer.complain(null, { code: Code.invalidRequest, message: `The line exceeds ${limit} bytes.` });
        peer.close();
      },
      // Whoever asks stays to hear the answer.
      ended: () => {
        this.#withdrawAll();
        peer.close();
      },
      closed: () => {
        this.#withdrawAll();
        parts.closed();
      },
      broke: (error) => parts.noticed("a question of the per-run socket met a defect", error),
    });
    this.#peer = peer;
  }

  /** Questions that are open. */
  get open(): number {
    return this.#open.size;
  }

  start(): void {
    this.#peer.start();
  }

  destroy(): void {
    this.#peer.destroy();
  }

  #request(request: IncomingRequest): void {
    if (request.method !== ASK) {
      request.fail(methodNotFound(request.method).body);
      return;
    }
    const question = isFields(request.params) ? readHookQuestion(request.params) : undefined;
    const full = this.#parts.full();
    if (!question) request.fail(invalidParams(`${ASK} needs a "tool": the name of what is to run.`).body);
    else if (full !== undefined) request.reply(refusedUnasked(full));
    else {
      this.#open.add(request);
      this.#parts.ask(question, request, (answer) => {
        this.#open.delete(request);
        request.reply(answer);
      });
    }
  }

  #notified(method: string, params: unknown): void {
    const id = method === CANCEL_REQUEST && isFields(params) ? params.requestId : undefined;
    const request = [...this.#open].find((one) => one.id === id);
    if (!request) return;
    this.#withdraw(request);
    request.reply(refusedUnasked("The question was taken back."));
  }

  #withdrawAll(): void {
    for (const request of [...this.#open]) this.#withdraw(request);
  }

  #withdraw(request: IncomingRequest): void {
    this.#open.delete(request);
    this.#parts.withdrawn(request);
  }
}

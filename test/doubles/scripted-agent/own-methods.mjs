// @ts-check
import { Refusal } from "./refusal.mjs";

/**
 * @import { Wire } from "./wire.mjs"
 * @import { Transcript } from "./transcript.mjs"
 */

/** Methods of the scripted agent's own, by which a test sees what reached it. */
export class OwnMethods {
  #wire;
  #transcript;
  /** @type {Map<unknown, () => void>} requests that nothing but a cancel ends */
  #hanging = new Map();

  /**
   * @param {Wire} wire
   * @param {Transcript} transcript
   */
  constructor(wire, transcript) {
    this.#wire = wire;
    this.#transcript = transcript;
  }

  /** @type {Record<string, (params: any, id: unknown) => void | Promise<void>>} */
  handlers = {
    "_scripted/echo": (params, id) => this.#wire.send({ id, result: { params } }),

    "_scripted/fail": (params, id) => this.#wire.send({ id, error: params.error }),

    /** Is answered with what is no answer. */
    "_scripted/garble": (_params, id) =>
      this.#wire.send({ id, result: {}, error: { code: 1, message: "Both." } }),

    /** Is answered when `$/cancel_request` names it, and then with -32800. */
    "_scripted/hang": (_params, id) =>
      new Promise((_resolve, reject) => {
        this.#hanging.set(id, () => reject(new Refusal(-32800, "The request was cancelled.")));
      }),

    /** The names in this process's environment, and the values of those that are asked for. */
    "_scripted/env": (params, id) => {
      const values = Object.fromEntries(
        (params.names ?? []).map((/** @type {string} */ name) => [name, process.env[name] ?? null]),
      );
      const result = { keys: Object.keys(process.env).sort(), values, cwd: process.cwd(), pid: process.pid };
      this.#wire.send({ id, result });
    },

    /** All lines that this process received and sent, as they were. */
    "_scripted/seen": (_params, id) => {
      const { received, sent } = this.#transcript;
      this.#wire.writeUnrecorded(JSON.stringify({ jsonrpc: "2.0", id, result: { received, sent } }));
    },
  };

  /** @param {unknown} requestId */
  cancel(requestId) {
    this.#hanging.get(requestId)?.();
    this.#hanging.delete(requestId);
  }
}

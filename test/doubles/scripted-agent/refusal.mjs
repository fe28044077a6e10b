// @ts-check
/** @import { RpcErrorBody } from "./ways.ts" */

/** An error that answers a request. */
export class Refusal extends Error {
  /** @type {RpcErrorBody} */
  body;

  /**
   * @param {number} code
   * @param {string} message
   * @param {unknown} [data]
   */
  constructor(code, message, data) {
    super(message);
    this.body = data === undefined ? { code, message } : { code, message, data };
  }
}

/** @param {string} method */
export const noSuchMethod = (method) => new Refusal(-32601, `"Method not found": ${method}`, { method });
/** @param {string} why */
export const badParams = (why) => new Refusal(-32602, why);

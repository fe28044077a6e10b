// @ts-check
/**
 * @import { Readable, Writable } from "node:stream"
 * @import { RpcErrorBody } from "./ways.ts"
 * @import { Transcript } from "./transcript.mjs"
 * @typedef {{ id?: unknown, method?: string, params?: any, result?: any, error?: RpcErrorBody }} Message
 * @typedef {{ result?: any, error?: RpcErrorBody }} Answer
 */

/** JSON-RPC lines on a pair of pipes. Dispatches in order; can gather what it writes into one write. */
export class Wire {
  #output;
  #transcript;
  /** @type {Map<unknown, (answer: Answer) => void>} */
  #asked = new Map();
  // Real agents count from 0 in every process, so ids of two processes collide.
  #nextId = 0;
  /** @type {string[] | undefined} */
  #held;

  /**
   * @param {Writable} output
   * @param {Transcript} transcript
   */
  constructor(output, transcript) {
    this.#output = output;
    this.#transcript = transcript;
  }

  /**
   * @param {Readable} input
   * @param {{ message: (message: Message) => void, ended: () => void }} receiver
   */
  listen(input, receiver) {
    /** @type {Buffer[]} */
    let parts = [];
    input.on("data", (/** @type {Buffer} */ chunk) => {
      let start = 0;
      for (;;) {
        const end = chunk.indexOf(0x0a, start);
        if (end === -1) break;
        parts.push(chunk.subarray(start, end));
        start = end + 1;
        const line = Buffer.concat(parts).toString("utf8");
        parts = [];
        this.#line(line, receiver.message);
      }
      if (start < chunk.length) parts.push(chunk.subarray(start));
    });
    input.on("end", receiver.ended);
  }

  /** @param {object} message */
  send(message) {
    this.writeLine(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  /**
   * Writes a line that may be anything.
   * @param {string} line
   */
  writeLine(line) {
    this.#transcript.out(line);
    this.writeUnrecorded(line);
  }

  /**
   * @param {string} line
   * @returns {boolean} whether the pipe takes more
   */
  writeUnrecorded(line) {
    if (!this.#held) return this.#output.write(`${line}\n`);
    this.#held.push(line);
    return true;
  }

  /** @returns {Promise<void>} resolves when the pipe takes more */
  drained() {
    return new Promise((resolve) => {
      this.#output.once("drain", resolve);
    });
  }

  /** Gathers everything until `release`, to be one write. */
  hold() {
    this.#held ??= [];
  }

  release() {
    const lines = this.#held;
    this.#held = undefined;
    if (lines && lines.length > 0) this.#output.write(`${lines.join("\n")}\n`);
  }

  /**
   * Writes what was gathered, then ends the process when the pipe has taken it.
   * @param {() => void} end
   */
  endWith(end) {
    this.release();
    this.#output.write("", end);
  }

  /**
   * @param {string} method
   * @param {unknown} params
   * @returns {{ id: number, answer: Promise<Answer> }}
   */
  request(method, params) {
    const id = this.#nextId++;
    /** @type {Promise<Answer>} */
    const answer = new Promise((resolve) => {
      this.#asked.set(id, resolve);
    });
    this.send({ id, method, params });
    return { id, answer };
  }

  /**
   * @param {string} line
   * @param {(message: Message) => void} dispatch
   */
  #line(line, dispatch) {
    if (line === "") return;
    this.#transcript.in(line);
    /** @type {Message} */
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      this.send({ id: null, error: { code: -32700, message: "The line is not JSON." } });
      return;
    }
    if (message.method !== undefined) {
      dispatch(message);
      return;
    }
    const settle = this.#asked.get(message.id);
    this.#asked.delete(message.id);
    if (settle) settle(message);
    else this.#transcript.note("answer to nothing asked");
  }
}

// @ts-check
import { mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";

/**
 * What one agent process read, wrote and went through, for a test to look at while it runs and afterwards.
 * In a file, one JSON object a line: `{way: "in" | "out" | "note", text}`.
 */
export class Transcript {
  /** @type {string[]} */
  received = [];
  /** @type {string[]} */
  sent = [];
  /** @type {number | undefined} */
  #file;

  /** @param {string | undefined} folder */
  constructor(folder) {
    if (!folder) return;
    mkdirSync(folder, { recursive: true });
    this.#file = openSync(join(folder, `${Date.now()}-${process.pid}.jsonl`), "a");
  }

  /** @param {string} line */
  in(line) {
    this.received.push(line);
    this.#keep("in", line);
  }

  /** @param {string} line */
  out(line) {
    this.sent.push(line);
    this.#keep("out", line);
  }

  /** @param {string} text */
  note(text) {
    this.#keep("note", text);
  }

  /**
   * @param {"in" | "out" | "note"} way
   * @param {string} text
   */
  #keep(way, text) {
    if (this.#file !== undefined) writeSync(this.#file, `${JSON.stringify({ way, text })}\n`);
  }
}

import { createInterface } from "node:readline";

/**
 * What the programs of the contract suite have in common: lines in and out, and a turn that plays the steps of its
 * prompt. A prompt that is no list of steps is echoed.
 */

/** @param {(line: string) => void} take */
export function readLines(take) {
  const lines = createInterface({ input: process.stdin });
  lines.on("line", take);
  lines.on("close", () => process.exit(0));
}

/** Everything that is sent until the program waits goes out in one write. */
let gathered = "";
/** @param {object | string} message */
export function send(message) {
  if (gathered === "") queueMicrotask(flush);
  gathered += `${typeof message === "string" ? message : JSON.stringify(message)}\n`;
}
function flush() {
  process.stdout.write(gathered);
  gathered = "";
}

/** @param {string} text */
export function stepsIn(text) {
  try {
    const steps = JSON.parse(text);
    return Array.isArray(steps) ? steps : [{ say: text }];
  } catch {
    return [{ say: text }];
  }
}

/** Two halves: as a text streams. @param {string} text */
export const halves = (text) => [text.slice(0, text.length >> 1), text.slice(text.length >> 1)];

/** One turn of a program. */
export class Turn {
  /** @param {Record<string, (what: any, turn: Turn) => unknown>} verbs */
  constructor(verbs) {
    this.verbs = verbs;
    this.cancelled = false;
    /** How it ended, when a step said so. */
    this.ending = undefined;
    this.cancellation = new Promise((resolve) => {
      this.cancel = () => {
        this.cancelled = true;
        resolve(undefined);
      };
    });
  }

  /** @param {any[]} steps */
  async play(steps) {
    for (const step of steps) {
      if (this.cancelled || this.ending) return;
      const [verb, what] = Object.entries(step)[0] ?? [];
      const act = this.verbs[String(verb)];
      if (!act) {
        process.stderr.write(`no such step: ${JSON.stringify(step)}\n`);
        process.exit(96);
      }
      await act(what, this);
    }
  }
}

export const die = (/** @type {number} */ code) =>
  new Promise(() => process.stdout.write("", () => process.exit(code)));

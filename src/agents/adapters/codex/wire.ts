import type { Fields } from "../../../acp/checks.ts";
import type { Id } from "../../../wire/message.ts";
import type { Step } from "../step.ts";

/** What became of a request to the app-server. */
export type Answer = { result: Fields } | { error: Fields };

/** JSON-RPC as the app-server speaks it: without `jsonrpc`, its own ids beside ours, each from 0. */
export class CodexWire {
  #last = 0;
  readonly #waiting = new Map<number, (answer: Answer) => Step[]>();

  request(method: string, params: Fields, answered: (answer: Answer) => Step[]): Step {
    const id = this.#last++;
    this.#waiting.set(id, answered);
    return { write: JSON.stringify({ id, method, params }) };
  }

  notify(method: string): Step {
    return { write: JSON.stringify({ method }) };
  }

  reply(id: Id, result: Fields): Step {
    return { write: JSON.stringify({ id, result }) };
  }

  refuse(id: Id, message: string): Step {
    return { write: JSON.stringify({ id, error: { code: -32601, message } }) };
  }

  /** An answer of the app-server's: what it was waited for with. */
  answered(id: unknown, answer: Answer): Step[] {
    if (typeof id !== "number") return [];
    const settle = this.#waiting.get(id);
    this.#waiting.delete(id);
    return settle?.(answer) ?? [];
  }
}

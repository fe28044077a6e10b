import type { Fields } from "../acp/checks.ts";
import { readToolCall, type ToolCall } from "./tool-call.ts";

/** Tool calls of a turn that are remembered; an older one is as if it had not been told. */
const REMEMBERED = 256;
/** Characters of a title that are kept. */
const LONGEST_TITLE = 500;

/** What is known of a tool call: what rules judge, and what people know it by. */
export interface SeenCall {
  readonly call: ToolCall;
  readonly title: string | undefined;
}

/** What an agent told of its tool calls before it asks about one: a question may leave out what stands there. */
export class SeenCalls {
  readonly #calls = new Map<string, SeenCall>();

  /** A `tool_call`, a `tool_call_update`, or a question's `toolCall`. */
  see(toolCall: Fields): SeenCall {
    const { toolCallId: id, title } = toolCall;
    const known = typeof id === "string" ? this.#calls.get(id) : undefined;
    const seen = {
      call: readToolCall(toolCall, known?.call),
      title: typeof title === "string" ? title.slice(0, LONGEST_TITLE) : known?.title,
    };
    if (typeof id !== "string") return seen;
    this.#calls.set(id, seen);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > REMEMBERED && oldest !== undefined) this.#calls.delete(oldest);
    return seen;
  }

  has(id: string): boolean {
    return this.#calls.has(id);
  }

  /** The turn is over. */
  clear(): void {
    this.#calls.clear();
  }
}

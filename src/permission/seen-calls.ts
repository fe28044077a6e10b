import type { Fields } from "../acp/checks.ts";
import { readToolCall, type ToolCall } from "./tool-call.ts";

/** Tool calls of a turn that are remembered; an older one is as if it had not been told. */
const REMEMBERED = 256;

/** What an agent told of its tool calls before it asks about one: a question may leave out what stands there. */
export class SeenCalls {
  readonly #calls = new Map<string, ToolCall>();

  /** A `tool_call`, a `tool_call_update`, or a question's `toolCall`. */
  see(toolCall: Fields): ToolCall {
    const { toolCallId: id } = toolCall;
    const known = typeof id === "string" ? this.#calls.get(id) : undefined;
    const call = readToolCall(toolCall, known);
    if (typeof id !== "string") return call;
    this.#calls.set(id, call);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > REMEMBERED && oldest !== undefined) this.#calls.delete(oldest);
    return call;
  }

  has(id: string): boolean {
    return this.#calls.has(id);
  }

  /** The turn is over. */
  clear(): void {
    this.#calls.clear();
  }
}

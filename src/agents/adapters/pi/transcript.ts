import { type Fields, isFields } from "../../../acp/checks.ts";
import { fieldsIn, listIn, textOf } from "../native-line.ts";
import type { Step } from "../step.ts";
import { message, textContent, thought, toolCall, toolCallUpdate, userMessage } from "../updates.ts";
import { describeTool } from "./tool-call.ts";

/** What the model says and does, from pi's events; and, of a session of before, from its messages. */
export class Transcript {
  readonly #cwd: string;
  /** Of the part of a message that streams, what was told. */
  #streamed = "";
  readonly #tools = new Set<string>();

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** An `assistantMessageEvent`. */
  streamed(event: Fields): Step[] {
    switch (event.type) {
      case "text_start":
      case "thinking_start":
        this.#streamed = "";
        return [];
      case "text_delta":
        return this.#add(textOf(event, "delta"), message);
      case "thinking_delta":
        return this.#add(textOf(event, "delta"), thought);
      case "text_end":
        return this.#rest(textOf(event, "content"), message);
      case "thinking_end":
        return this.#rest(textOf(event, "content"), thought);
      case "toolcall_end":
        return this.#call(fieldsIn(event, "toolCall"));
      default:
        return [];
    }
  }

  started(event: Fields): Step[] {
    const { toolCallId: id, toolName: name, args } = event;
    const steps = this.#call({ id, name, arguments: args });
    return [...steps, toolCallUpdate(String(id), { status: "in_progress" })];
  }

  printed(event: Fields): Step[] {
    const content = contentOf(fieldsIn(event, "partialResult"));
    return content.length === 0 ? [] : [toolCallUpdate(textOf(event, "toolCallId"), { content })];
  }

  ended(event: Fields): Step[] {
    return this.#result(textOf(event, "toolCallId"), fieldsIn(event, "result"), event.isError === true);
  }

  /** A message of before. */
  remembered(said: Fields): Step[] {
    if (said.role === "toolResult")
      return this.#result(textOf(said, "toolCallId"), said, said.isError === true);
    const { content } = said;
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : listIn(said, "content");
    if (said.role === "user") return parts.map((part) => userMessage(asAcp(part)));
    if (said.role !== "assistant") return [];
    return parts.flatMap((part) => {
      if (part.type === "text") return [message(textOf(part, "text"))];
      if (part.type === "thinking") return [thought(textOf(part, "thinking"))];
      return part.type === "toolCall" ? this.#call(part) : [];
    });
  }

  /** The tool call that runs, if it is one alone. */
  get running(): string | undefined {
    const [only, second] = this.#tools;
    return second === undefined ? only : undefined;
  }

  endTurn(): void {
    this.#tools.clear();
    this.#streamed = "";
  }

  #add(delta: string, tell: (text: string) => Step): Step[] {
    this.#streamed += delta;
    return delta === "" ? [] : [tell(delta)];
  }

  #rest(whole: string, tell: (text: string) => Step): Step[] {
    const rest = whole.startsWith(this.#streamed) ? whole.slice(this.#streamed.length) : "";
    this.#streamed = "";
    return rest === "" ? [] : [tell(rest)];
  }

  #call(call: Fields): Step[] {
    const id = textOf(call, "id");
    if (this.#tools.has(id)) return [];
    this.#tools.add(id);
    const name = textOf(call, "name");
    const args = fieldsIn(call, "arguments");
    return [
      toolCall(id, { ...describeTool(name, args, this.#cwd), name, rawInput: args, status: "pending" }),
    ];
  }

  #result(id: string, result: Fields, failed: boolean): Step[] {
    if (!this.#tools.delete(id)) return [];
    const content = contentOf(result);
    const { details } = result;
    return [
      toolCallUpdate(id, {
        status: failed ? "failed" : "completed",
        // Of an edit the diff says more than "Replaced".
        content: content.length > 0 && (failed || !isEdit(details)) ? content : undefined,
        rawOutput: isFields(details) && Object.keys(details).length > 0 ? details : undefined,
      }),
    ];
  }
}

const isEdit = (details: unknown): boolean => isFields(details) && typeof details.diff === "string";

function contentOf(result: Fields): Fields[] {
  return listIn(result, "content").map((part) =>
    part.type === "text" ? textContent(textOf(part, "text")) : { type: "content", content: asAcp(part) },
  );
}

function asAcp(part: Fields): Fields {
  if (part.type !== "image") return { type: "text", text: textOf(part, "text") };
  return { type: "image", data: textOf(part, "data"), mimeType: textOf(part, "mimeType") };
}

import { randomUUID } from "node:crypto";
import type { Fields } from "../../acp/checks.ts";
import type { Tool, ToolCall } from "./turn.ts";

/** A tool call as the client sees it: announced once, then updated, ended once. */
export class OpenToolCall implements ToolCall {
  readonly id: string;
  readonly #show: (update: Fields) => void;
  #isOver = false;

  /** Announces it, pending. */
  constructor(
    { id = randomUUID(), title, kind = "other", input, locations, _meta }: Tool,
    show: (update: Fields) => void,
  ) {
    this.id = id;
    this.#show = show;
    show({
      sessionUpdate: "tool_call",
      toolCallId: id,
      title,
      kind,
      status: "pending",
      ...(input === undefined ? {} : { rawInput: input }),
      ...(locations === undefined ? {} : { locations }),
      ...(_meta === undefined ? {} : { _meta }),
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  runs(): void {
    this.update({ status: "in_progress" });
  }

  update(fields: Fields): void {
    if (fields.status === "completed" || fields.status === "failed") this.#isOver = true;
    this.#show({ sessionUpdate: "tool_call_update", toolCallId: this.id, ...fields });
  }

  done(output?: unknown): void {
    this.update({
      status: "completed",
      ...(typeof output === "string" ? { content: [textContent(output)] } : {}),
      ...(output === undefined ? {} : { rawOutput: output }),
    });
  }

  failed(why: string): void {
    this.update({ status: "failed", content: [textContent(why)], rawOutput: why });
  }
}

const textContent = (text: string): Fields => ({ type: "content", content: { type: "text", text } });

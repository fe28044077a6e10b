import { randomUUID } from "node:crypto";
import type { Fields } from "../../acp/checks.ts";
import type { Audience } from "./audience.ts";

export interface Tool {
  title: string;
  /** ACP's tool kind: read, search, execute, … */
  kind: string;
  input: Fields;
  /** Absolute paths that it touches. */
  paths: readonly string[];
}

/** A tool call as the client sees it: pending, in progress, completed or failed. */
export class ToolCall {
  /** Never used again, in whichever process the session goes on. */
  readonly id = randomUUID();
  readonly #audience: Audience;
  #isOver = false;

  /** Announces it, pending. */
  constructor(tool: Tool, audience: Audience) {
    this.#audience = audience;
    audience.show({
      sessionUpdate: "tool_call",
      toolCallId: this.id,
      title: tool.title,
      kind: tool.kind,
      status: "pending",
      rawInput: tool.input,
      locations: tool.paths.map((path) => ({ path })),
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  runs(): void {
    this.#update({ status: "in_progress" });
  }

  done(text: string, output: Fields): void {
    this.#isOver = true;
    this.#update({ status: "completed", content: [textContent(text)], rawOutput: output });
  }

  failed(why: string): void {
    this.#isOver = true;
    this.#update({ status: "failed", content: [textContent(why)] });
  }

  #update(fields: Fields): void {
    this.#audience.show({ sessionUpdate: "tool_call_update", toolCallId: this.id, ...fields });
  }
}

const textContent = (text: string): Fields => ({ type: "content", content: { type: "text", text } });

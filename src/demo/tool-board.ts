import { type Fields, isFields } from "../acp/checks.ts";
import type { Transcript } from "./transcript.ts";

const STATES: Record<string, { sign: string; words: string }> = {
  pending: { sign: "○", words: "asked for" },
  in_progress: { sign: "▸", words: "runs" },
  completed: { sign: "✔", words: "done" },
  failed: { sign: "✖", words: "not done" },
};

/** Tool calls, by what becomes of them. */
export class ToolBoard {
  readonly #transcript: Transcript;
  readonly #titles = new Map<string, string>();

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
  }

  /** A `tool_call` or a `tool_call_update`. */
  show(update: Fields): void {
    const id = String(update.toolCallId);
    if (typeof update.title === "string") this.#titles.set(id, update.title);
    const state = STATES[String(update.status)];
    if (state) this.#transcript.lines("tool", [`${state.sign} ${this.title(id)}: ${state.words}`]);
    const text = textOf(update.content);
    if (text !== "") this.#transcript.details(text.split("\n"));
  }

  title(toolCallId: string): string {
    return this.#titles.get(toolCallId) ?? "a tool";
  }
}

function textOf(content: unknown): string {
  const items = Array.isArray(content) ? content.filter(isFields) : [];
  return items
    .map((item) => (isFields(item.content) && typeof item.content.text === "string" ? item.content.text : ""))
    .join("\n");
}

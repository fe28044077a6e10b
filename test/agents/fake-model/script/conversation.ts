import type { Tool } from "./tool.ts";

/** A request to a model, in the words that all four APIs share: what was said so far, and what it may use. */
export interface Conversation {
  readonly model: string;
  /** Whether the answer is to come as server-sent events. */
  readonly stream: boolean;
  /** Whether that stream is to tell the usage at its end (chat completions, where it must be asked for). */
  readonly streamUsage?: boolean;
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
}

export type Message =
  | { readonly role: "user"; readonly text: string }
  /** `calls`: how many tools the model called in this message. */
  | { readonly role: "model"; readonly text: string; readonly calls: number }
  | { readonly role: "tool"; readonly text: string };

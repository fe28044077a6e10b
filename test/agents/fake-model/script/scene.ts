import type { Answer } from "./answer.ts";
import type { Conversation } from "./conversation.ts";
import type { Cue } from "./cue.ts";

/** What the model plays at a cue: its next answer, given what was asked and done since. */
export type Scene = (cue: Cue, conversation: Conversation) => Answer;

/** A cue's argument as a number: `fallback` without one, and never more than `most`. */
export function amount(cue: Cue, fallback: number, most: number): number {
  const asked = Number.parseInt(cue.argument, 10);
  return Math.min(Number.isNaN(asked) ? fallback : asked, most);
}

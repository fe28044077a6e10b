import type { Conversation } from "./conversation.ts";

/**
 * What a prompt asks the model to play. A cue is a line of its own in a user's message:
 *
 *     cue: bash echo hello > greeting.txt
 *
 * The last one in the conversation counts, so that a session may hold many turns.
 */
export interface Cue {
  readonly name: string;
  /** The rest of the line. */
  readonly argument: string;
  /** How many answers with tool calls were given to this cue already. */
  readonly round: number;
  /** What the tools answered since the cue, in order. */
  readonly results: readonly string[];
}

const LINE = /^[ \t]*cue: *([a-z-]+)(?: +(.*?))?[ \t]*$/gm;

/** The cue that a conversation stands at, if any of its messages holds one. */
export function cueOf({ messages }: Conversation): Cue | undefined {
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message?.role !== "user") continue;
    const [, name, argument = ""] = [...message.text.matchAll(LINE)].at(-1) ?? [];
    if (name === undefined) continue;
    const since = messages.slice(index + 1);
    return {
      name,
      argument,
      round: since.filter((later) => later.role === "model" && later.calls > 0).length,
      results: since.flatMap((later) => (later.role === "tool" ? [later.text] : [])),
    };
  }
  return undefined;
}

import type { Refused } from "./answers.ts";
import { exitCode } from "./exit-code.ts";
import type { TurnOutcome } from "./one-turn.ts";

/** ACP's stop reasons, as exit codes; any other is a failure. */
const CODES: ReadonlyMap<string, number> = new Map([
  ["end_turn", 0],
  ["refusal", 5],
  ["max_tokens", 6],
  ["max_turn_requests", 6],
  ["cancelled", 7],
]);

export const outcomeCode = (outcome: TurnOutcome): number =>
  "error" in outcome ? exitCode(outcome.error) : (CODES.get(outcome.stopReason) ?? 1);

export interface TurnStory {
  /** null: the session was not made. */
  sessionId: string | null;
  /** The turn's key. */
  turn: string;
  outcome: TurnOutcome;
  text: string;
  /** Questions that were answered with no. */
  refused: readonly Refused[];
}

/** What `hall prompt --json` prints. */
export function turnDocument({ sessionId, turn, outcome, text, refused }: TurnStory): string {
  const isError = "error" in outcome;
  return JSON.stringify({
    sessionId,
    turn,
    ...(isError ? { error: outcome.error.error } : { stopReason: outcome.stopReason }),
    text,
    usage: isError ? null : outcome.usage,
    refused,
  });
}

import type { Fields } from "../../../acp/checks.ts";
import { fieldsIn, textOf } from "../native-line.ts";
import type { Step } from "../step.ts";
import type { Answered, ClaudeSession } from "./session.ts";

export function control(state: ClaudeSession, request: Fields, answered: Answered): Step {
  state.controls += 1;
  const id = `hall-${state.controls}`;
  state.waiting.set(id, answered);
  return { write: JSON.stringify({ type: "control_request", request_id: id, request }) };
}

export function controlAnswered(state: ClaudeSession, response: Fields): Step[] {
  const id = textOf(response, "request_id");
  // With --replay-user-messages our own answers come back, too.
  const answered = state.waiting.get(id);
  state.waiting.delete(id);
  const error = response.subtype === "error" ? textOf(response, "error") || "it refused" : undefined;
  return answered?.(fieldsIn(response, "response"), error) ?? [];
}

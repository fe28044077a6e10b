import type { Fields } from "../../../acp/checks.ts";
import { fieldsIn, textOf, wordsOf } from "../native-line.ts";
import type { Step } from "../step.ts";
import type { Answered, PiSession } from "./session.ts";

export const line = (message: Fields): Step => ({ write: JSON.stringify(message) });

export function send(state: PiSession, command: Fields, answered: Answered): Step {
  state.sent += 1;
  const id = `hall-${state.sent}`;
  state.waiting.set(id, answered);
  return line({ ...command, id });
}

export function answered(state: PiSession, event: Fields): Step[] {
  const id = textOf(event, "id");
  const settle = state.waiting.get(id);
  state.waiting.delete(id);
  const error = event.success === false ? (wordsOf(event, "error") ?? "pi refused it.") : undefined;
  return settle?.(fieldsIn(event, "data"), error) ?? [];
}

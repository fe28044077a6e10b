import { failed } from "../failure.ts";
import type { Step } from "../step.ts";
import { availableCommands } from "../updates.ts";
import type { ClaudeSession } from "./session.ts";

export function opened(state: ClaudeSession): Step[] {
  const { offers, opener } = state;
  state.opener = undefined;
  if (opener === undefined) return [];
  return [
    { reply: opener, result: { ...(state.opening.how === "fork" ? { sessionId: state.opening.id } : {}) } },
    ...(offers.commands.length > 0 ? [availableCommands(offers.commands)] : []),
  ];
}

export function endOpening(state: ClaudeSession, why: string): Step[] {
  const { opener } = state;
  state.opener = undefined;
  return opener === undefined ? [] : [{ fail: opener, error: failed(why, "agent_protocol") }];
}

import { type Fields, isFields } from "../../../acp/checks.ts";
import type { Id } from "../../../wire/message.ts";
import type { Step } from "../step.ts";
import { userContent } from "./prompt.ts";
import type { ClaudeSession } from "./session.ts";
import { turnEnd } from "./turn-end.ts";

export function startTurn(state: ClaudeSession, id: Id, params: Fields): Step[] {
  state.prompt = id;
  const blocks = Array.isArray(params.prompt) ? params.prompt.filter(isFields) : [];
  const content = userContent(blocks);
  return [
    {
      write: JSON.stringify({
        type: "user",
        session_id: "",
        message: { role: "user", content },
        parent_tool_use_id: null,
      }),
    },
  ];
}

export function endTurn(state: ClaudeSession, result: Fields): Step[] {
  // An opening that fails is told by the exit that follows.
  if (state.opener !== undefined) return [];
  const { steps, end } = turnEnd(result, state.stream);
  const { ownTurn, prompt } = state;
  state.ownTurn = false;
  if (ownTurn || prompt === undefined) return steps;
  state.prompt = undefined;
  return [
    ...steps,
    "fail" in end ? { fail: prompt, error: end.fail } : { reply: prompt, result: end.result },
  ];
}

import type { Fields } from "../../../acp/checks.ts";
import type { Decision } from "../acp-message.ts";
import { textOf } from "../native-line.ts";
import type { Step } from "../step.ts";
import { ToolQuestion } from "./question.ts";
import type { ClaudeSession } from "./session.ts";

/** What Claude Code asks of us. It waits for each answer, so that everything unknown is answered, too. */
export function asked(state: ClaudeSession, id: string, request: Fields): Step[] {
  if (request.subtype !== "can_use_tool") {
    const error = `${textOf(request, "subtype")} is not supported here.`;
    return [controlResponse({ subtype: "error", request_id: id, error })];
  }
  const question = new ToolQuestion(request);
  state.questions.set(id, question);
  return [
    ...state.stream.announce(question.toolUseId, question.tool, question.input),
    { ask: id, permission: question.permission(state.opening.cwd) },
  ];
}

export function answerQuestion(state: ClaudeSession, id: string, decision: Decision): Step[] {
  const question = state.questions.get(id);
  if (!question) return [];
  state.questions.delete(id);
  return [controlResponse({ subtype: "success", request_id: id, response: question.answer(decision) })];
}

const controlResponse = (response: Fields): Step => ({
  write: JSON.stringify({ type: "control_response", response }),
});

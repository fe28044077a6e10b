import type { Fields } from "../../../acp/checks.ts";
import { fieldsIn, listIn, textOf } from "../native-line.ts";
import type { Step } from "../step.ts";
import { note } from "../updates.ts";
import { answered, line } from "./commands.ts";
import { extensionQuestion, mustBeAnswered, nothing } from "./extension-question.ts";
import type { PiSession } from "./session.ts";
import { endTurn, runEnded } from "./turn.ts";

/** What pi says, by the type of its line. What is not here is nothing for a client. */
export function told(state: PiSession, event: Fields): Step[] {
  const { transcript } = state;
  switch (event.type) {
    case "message_update":
      return transcript.streamed(fieldsIn(event, "assistantMessageEvent"));
    case "tool_execution_start":
      return transcript.started(event);
    case "tool_execution_update":
      return transcript.printed(event);
    case "tool_execution_end":
      return transcript.ended(event);
    case "response":
      return answered(state, event);
    case "agent_start":
      state.retrying = false;
      return [];
    case "agent_end":
      return runEnded(state, listIn(event, "messages"));
    case "agent_settled":
      state.settles = true;
      return endTurn(state);
    case "auto_retry_start":
      state.retrying = true;
      return [
        note("pi", { retry: { attempt: event.attempt, of: event.maxAttempts, delayMs: event.delayMs } }),
      ];
    case "auto_retry_end":
      state.retrying = false;
      return event.success === false ? endTurn(state, textOf(event, "finalError")) : [];
    case "compaction_start":
      return [note("pi", { compacting: textOf(event, "reason") })];
    case "extension_ui_request":
      return extensionAsks(state, event);
    default:
      return [];
  }
}

function extensionAsks(state: PiSession, request: Fields): Step[] {
  const question = extensionQuestion(request, state.transcript.running);
  if (!question) return mustBeAnswered(request) ? [line(nothing(request))] : [];
  const ask = textOf(request, "id");
  state.questions.set(ask, question);
  return [...question.begun, { ask, permission: question.permission }];
}

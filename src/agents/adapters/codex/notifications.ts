import type { Fields } from "../../../acp/checks.ts";
import { fieldsIn, listIn, numberOf, textOf, wordsOf } from "../native-line.ts";
import type { Step } from "../step.ts";
import { note, type PlanEntry, plan, usage } from "../updates.ts";
import { resolved } from "./questions.ts";
import type { CodexSession } from "./session.ts";
import { turnCompleted, turnNamed } from "./turn.ts";

/** What the app-server tells of the session's thread, by its method. What is not here is nothing for a client. */
export function told(state: CodexSession, method: string, params: Fields): Step[] {
  const { items } = state;
  const itemId = textOf(params, "itemId");
  const delta = textOf(params, "delta");
  switch (method) {
    case "item/agentMessage/delta":
      return items.said(itemId, delta);
    case "item/reasoning/summaryTextDelta":
    case "item/reasoning/textDelta":
    case "item/plan/delta":
      return items.thought(itemId, delta);
    case "item/reasoning/summaryPartAdded":
      return items.thoughtPart(itemId);
    case "item/commandExecution/outputDelta":
      return items.printed(itemId, delta);
    case "item/started":
      return items.started(fieldsIn(params, "item"));
    case "item/completed":
      return items.completed(fieldsIn(params, "item"));
    case "turn/started":
      return state.turn ? turnNamed(state, state.turn, fieldsIn(params, "turn")) : [];
    case "turn/completed":
      return turnCompleted(state, fieldsIn(params, "turn"));
    case "turn/plan/updated":
      return [plan(listIn(params, "plan").map(planEntry))];
    case "thread/tokenUsage/updated":
      return usageTold(fieldsIn(params, "tokenUsage"));
    case "thread/name/updated":
      return [{ update: { sessionUpdate: "session_info_update", title: textOf(params, "threadName") } }];
    case "serverRequest/resolved":
      return resolved(state, params.requestId);
    case "model/rerouted":
      return [note("codex", { model: params.toModel, insteadOf: params.fromModel, reason: params.reason })];
    case "error":
      return [
        note("codex", {
          error: textOf(fieldsIn(params, "error"), "message"),
          willRetry: params.willRetry === true,
        }),
      ];
    case "warning":
    case "guardianWarning":
    case "configWarning":
      return [note("codex", { warning: wordsOf(params, "message") ?? textOf(params, "summary") })];
    default:
      return [];
  }
}

const planEntry = (entry: Fields): PlanEntry => ({
  content: textOf(entry, "step"),
  status:
    entry.status === "completed" ? "completed" : entry.status === "inProgress" ? "in_progress" : "pending",
  priority: "medium",
});

function usageTold(tokens: Fields): Step[] {
  const size = numberOf(tokens, "modelContextWindow");
  return size === 0 ? [] : [usage(numberOf(fieldsIn(tokens, "last"), "totalTokens"), size)];
}

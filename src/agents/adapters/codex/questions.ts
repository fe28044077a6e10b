import type { Fields } from "../../../acp/checks.ts";
import type { Id } from "../../../wire/message.ts";
import type { AcpMessage } from "../acp-message.ts";
import type { Step } from "../step.ts";
import { approvalOf } from "./approval.ts";
import type { CodexSession } from "./session.ts";

/** What Codex asks of us. It waits for each answer, so that everything unknown is answered, too. */
export function serverAsks(state: CodexSession, id: Id, method: string, params: Fields): Step[] {
  const { approvals, items, wire } = state;
  if (method === "item/tool/requestUserInput") return [wire.reply(id, { answers: {} })];
  const approval = approvalOf(method, params);
  if (!approval) return [wire.refuse(id, `${method} is not supported here.`)];
  const ask = JSON.stringify(id);
  approvals.set(ask, { id, approval });
  const { toolCallId: _, ...shown } = approval.permission.toolCall;
  return [...items.announce(approval.toolCallId, shown), { ask, permission: approval.permission }];
}

export function decided(
  state: CodexSession,
  { ask, decision }: Extract<AcpMessage, { kind: "answer" }>,
): Step[] {
  const open = state.approvals.get(ask);
  if (!open) return [];
  state.approvals.delete(ask);
  return [state.wire.reply(open.id, open.approval.answer(decision))];
}

/** Codex wants no answer any more: answered, or its turn is over. */
export function resolved(state: CodexSession, requestId: unknown): Step[] {
  const ask = JSON.stringify(requestId);
  return state.approvals.delete(ask) ? [{ withdraw: ask }] : [];
}

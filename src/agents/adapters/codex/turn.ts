import type { Fields } from "../../../acp/checks.ts";
import type { Id } from "../../../wire/message.ts";
import { fieldsIn, textOf } from "../native-line.ts";
import type { Step } from "../step.ts";
import { turnInput } from "./input.ts";
import { turnPolicy } from "./modes.ts";
import type { CodexSession, CodexTurn } from "./session.ts";
import { turnFailure } from "./turn-failure.ts";

export function startTurn(state: CodexSession, prompt: Id, blocks: readonly Fields[]): Step[] {
  const turn: CodexTurn = { prompt, id: undefined, cancelled: false };
  state.turn = turn;
  const { method, params } = turnRequest(state, blocks);
  const started = state.wire.request(method, { threadId: state.threadId, ...params }, (answer) => {
    if ("result" in answer) return turnNamed(state, turn, fieldsIn(answer.result, "turn"));
    if (state.turn !== turn) return [];
    state.turn = undefined;
    return [{ fail: prompt, error: turnFailure(answer.error) }];
  });
  return [started];
}

function turnRequest(
  { mode, models, opening }: CodexSession,
  blocks: readonly Fields[],
): { method: string; params: Fields } {
  const words = /^\/(compact|review)(?:\s+(.*))?$/s.exec(textOf(blocks[0] ?? {}, "text").trim());
  if (words?.[1] === "compact") return { method: "thread/compact/start", params: {} };
  if (words?.[1] === "review") {
    const instructions = words[2];
    const target = instructions ? { type: "custom", instructions } : { type: "uncommittedChanges" };
    return { method: "review/start", params: { target, delivery: "inline" } };
  }
  const policy = turnPolicy(mode, opening.additionalDirectories);
  return { method: "turn/start", params: { input: turnInput(blocks), ...policy, ...models.chosen } };
}

/** Its name may come by its answer or by `turn/started`, whichever is first; a cancel may have waited for it. */
export function turnNamed(state: CodexSession, turn: CodexTurn, { id }: Fields): Step[] {
  if (state.turn !== turn || turn.id !== undefined || typeof id !== "string") return [];
  turn.id = id;
  return turn.cancelled ? interrupt(state) : [];
}

export function interrupt(state: CodexSession): Step[] {
  const { turn, threadId, wire } = state;
  if (!turn) return [];
  turn.cancelled = true;
  if (turn.id === undefined) return [];
  // That there was nothing to interrupt any more is no failure.
  return [wire.request("turn/interrupt", { threadId, turnId: turn.id }, () => [])];
}

export function turnCompleted(state: CodexSession, ended: Fields): Step[] {
  const { turn, items } = state;
  if (!turn || (turn.id !== undefined && turn.id !== ended.id)) return [];
  state.turn = undefined;
  items.endTurn();
  if (ended.status === "failed") return [{ fail: turn.prompt, error: turnFailure(fieldsIn(ended, "error")) }];
  const stopReason = ended.status === "interrupted" ? "cancelled" : "end_turn";
  return [{ reply: turn.prompt, result: { stopReason } }];
}

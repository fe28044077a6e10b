import type { Fields } from "../../../acp/checks.ts";
import type { Id } from "../../../wire/message.ts";
import { failed } from "../failure.ts";
import { fieldsIn, numberOf, textOf } from "../native-line.ts";
import { promptText } from "../prompt-text.ts";
import type { Step } from "../step.ts";
import { usage } from "../updates.ts";
import { send } from "./commands.ts";
import type { PiSession } from "./session.ts";
import { turnFailure } from "./turn-failure.ts";

export function startTurn(state: PiSession, id: Id, blocks: readonly Fields[]): Step[] {
  const compact = /^\/compact(?:\s+(.*))?$/s.exec(textOf(blocks[0] ?? {}, "text").trim());
  if (compact) {
    const [, instructions] = compact;
    const command = { type: "compact", ...(instructions ? { customInstructions: instructions } : {}) };
    return [
      send(state, command, (_, error) =>
        error === undefined
          ? [{ reply: id, result: { stopReason: "end_turn" } }]
          : [{ fail: id, error: failed(error, "provider_error") }],
      ),
    ];
  }
  state.prompt = id;
  state.last = {};
  state.retrying = false;
  const images = blocks
    .filter((block) => block.type === "image")
    .map((block) => ({ type: "image", data: block.data, mimeType: block.mimeType }));
  const message = promptText(blocks.filter((block) => block.type !== "image"));
  const prompt = { type: "prompt", message, ...(images.length > 0 ? { images } : {}) };
  return [
    send(state, prompt, (_, error) => {
      if (error === undefined || state.prompt !== id) return [];
      state.prompt = undefined;
      return [{ fail: id, error: turnFailure(error) }];
    }),
  ];
}

/**
 * A run is over; the turn may go on: pi tries again after a provider's failure, and goes on after it has shortened the
 * conversation. What follows at once is told before the answer to a question that is asked now.
 */
export function runEnded(state: PiSession, messages: readonly Fields[]): Step[] {
  state.last = messages.findLast(({ role }) => role === "assistant") ?? {};
  const told = usageTold(state);
  if (state.settles || state.prompt === undefined) return told;
  const { prompt } = state;
  const look = send(state, { type: "get_state" }, (data) => {
    const goesOn = state.retrying || data.isStreaming === true || data.isCompacting === true;
    return goesOn || state.prompt !== prompt ? [] : endTurn(state);
  });
  return [...told, look];
}

function usageTold(state: PiSession): Step[] {
  const used = fieldsIn(state.last, "usage");
  const tokens = numberOf(used, "totalTokens");
  state.cost += numberOf(fieldsIn(used, "cost"), "total");
  const size = state.models.contextWindow;
  if (tokens === 0 || size === 0) return [];
  return [usage(tokens, size, state.cost > 0 ? { amount: state.cost, currency: "USD" } : undefined)];
}

export function endTurn(state: PiSession, finalError?: string): Step[] {
  const { prompt, last, transcript } = state;
  if (prompt === undefined) return [];
  state.prompt = undefined;
  transcript.endTurn();
  const { stopReason } = last;
  if (finalError !== undefined || stopReason === "error") {
    const why = finalError || textOf(last, "errorMessage") || "pi says that the turn failed.";
    return [{ fail: prompt, error: turnFailure(why) }];
  }
  if (stopReason === "aborted") return [{ reply: prompt, result: { stopReason: "cancelled" } }];
  return [{ reply: prompt, result: { stopReason: stopReason === "length" ? "max_tokens" : "end_turn" } }];
}

import type { Fields } from "../../../acp/checks.ts";
import type { ErrorBody } from "../../../wire/message.ts";
import { failed, loginWanted } from "../failure.ts";
import { fieldsIn, numberOf, textOf, wordsOf } from "../native-line.ts";
import type { Step } from "../step.ts";
import { message, usage } from "../updates.ts";
import type { ClaudeStream } from "./stream.ts";

/** How a turn ended: what its prompt is answered. */
export type TurnEnd = { result: { stopReason: string } & Fields } | { fail: ErrorBody };

const LIMITS = new Set(["error_max_turns", "error_max_budget_usd", "error_max_structured_output_retries"]);

/** What an HTTP status of the model's provider means, in one word for programs. */
const STATUS_KINDS: Readonly<Record<number, string>> = {
  400: "bad_request",
  403: "not_allowed",
  404: "model_missing",
  413: "context_too_long",
  429: "rate_limited",
  529: "overloaded",
};

/** Of models whose window is not told. */
const USUAL_WINDOW = 200_000;

/**
 * A `result` line: what is still to be told before the answer, and the answer. `is_error` counts before any stop
 * reason: a provider's failure has the subtype "success" and the stop reason of a finished answer.
 */
export function turnEnd(result: Fields, stream: ClaudeStream): { steps: Step[]; end: TurnEnd } {
  const fail = failureOf(result);
  // Some answers come in the result alone.
  const unsaid = !stream.spoke && !fail ? textOf(result, "result") : "";
  const held = stream.endTurn(fail !== undefined);
  const last = held.length === 0 && unsaid !== "" ? [message(unsaid)] : held;
  const told = usageStep(result, stream.contextTokens);
  const steps = [...last, ...(told ? [told] : [])];
  return { steps, end: fail ? { fail } : { result: { stopReason: stopReason(result), ...tokens(result) } } };
}

function stopReason(result: Fields): string {
  if (LIMITS.has(textOf(result, "subtype"))) return "max_turn_requests";
  const said = textOf(result, "stop_reason");
  return said === "max_tokens" || said === "refusal" ? said : "end_turn";
}

function failureOf(result: Fields): ErrorBody | undefined {
  const limit = LIMITS.has(textOf(result, "subtype"));
  if (result.is_error !== true || limit) return undefined;
  const errors = Array.isArray(result.errors) ? result.errors.join("\n") : "";
  const text = wordsOf(result, "result") ?? (errors || "Claude Code says that the turn failed.");
  const status = numberOf(result, "api_error_status");
  if (status === 401 || /please run \/login|invalid api key/i.test(text)) return loginWanted(text);
  const tooLong = /prompt is too long|context (window|length)/i.test(text);
  const kind = tooLong ? "context_too_long" : (STATUS_KINDS[status] ?? "provider_error");
  return failed(text, kind, status > 0 ? { status } : {});
}

function usageStep(result: Fields, used: number): Step | undefined {
  if (used === 0) return undefined;
  const sizes = Object.values(fieldsIn(result, "modelUsage")).map((model) =>
    numberOf(Object(model), "contextWindow"),
  );
  const cost = result.total_cost_usd;
  return usage(
    used,
    Math.max(...sizes, 0) || USUAL_WINDOW,
    typeof cost === "number" ? { amount: cost, currency: "USD" } : undefined,
  );
}

function tokens(result: Fields): Fields {
  const used = fieldsIn(result, "usage");
  const inputTokens = numberOf(used, "input_tokens");
  const outputTokens = numberOf(used, "output_tokens");
  const cachedReadTokens = numberOf(used, "cache_read_input_tokens");
  const cachedWriteTokens = numberOf(used, "cache_creation_input_tokens");
  const totalTokens = inputTokens + outputTokens + cachedReadTokens + cachedWriteTokens;
  return { usage: { inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens, totalTokens } };
}

import { type Fields, isFields } from "../../../acp/checks.ts";
import type { ErrorBody } from "../../../wire/message.ts";
import { failed, loginWanted } from "../failure.ts";
import { fieldsIn, numberOf, objectIn, textOf, wordsOf } from "../native-line.ts";

/** What Codex calls a failure, in hall's words. */
const KINDS: Readonly<Record<string, string>> = {
  contextWindowExceeded: "context_too_long",
  usageLimitExceeded: "rate_limited",
  rateLimitExceeded: "rate_limited",
  sessionBudgetExceeded: "rate_limited",
  serverOverloaded: "overloaded",
  modelNotFound: "model_missing",
  badRequest: "bad_request",
  sandboxError: "sandbox",
};

const STATUS_KINDS: Readonly<Record<number, string>> = {
  400: "bad_request",
  404: "model_missing",
  413: "context_too_long",
  429: "rate_limited",
  529: "overloaded",
};

/** The error of a turn that failed: never text of the agent's. */
export function turnFailure(error: Fields): ErrorBody {
  const message = plain(textOf(error, "message")) || "Codex says that the turn failed.";
  const { codexErrorInfo } = error;
  const name = typeof codexErrorInfo === "string" ? codexErrorInfo : "";
  const status = statusIn(codexErrorInfo);
  if (name === "unauthorized" || status === 401) return loginWanted(message);
  const kind = KINDS[name] ?? STATUS_KINDS[status] ?? "provider_error";
  return failed(message, kind, status > 0 ? { status } : {});
}

/** A provider's error comes as its body, JSON and all. */
function plain(message: string): string {
  const body = objectIn(message);
  return (body && (wordsOf(fieldsIn(body, "error"), "message") ?? wordsOf(body, "message"))) ?? message;
}

function statusIn(info: unknown): number {
  if (!isFields(info)) return 0;
  return Math.max(
    0,
    ...Object.values(info).map((about) => (isFields(about) ? numberOf(about, "httpStatusCode") : 0)),
  );
}

import type { ErrorBody } from "../../../wire/message.ts";
import { failed, loginWanted } from "../failure.ts";

const STATUS_KINDS: Readonly<Record<string, string>> = {
  "400": "bad_request",
  "404": "model_missing",
  "413": "context_too_long",
  "429": "rate_limited",
  "529": "overloaded",
};

/** What a provider answered, as pi tells it: a status, then its words. Never text of the agent's. */
export function turnFailure(message: string): ErrorBody {
  const [, status = ""] = /^(\d{3})\b/.exec(message) ?? [];
  if (status === "401" || /api key|unauthorized|log ?in|not configured/i.test(message))
    return loginWanted(message);
  const tooLong = /context (window|length)|too long|maximum context/i.test(message);
  const kind = tooLong ? "context_too_long" : (STATUS_KINDS[status] ?? "provider_error");
  return failed(message, kind, status === "" ? {} : { status: Number(status) });
}

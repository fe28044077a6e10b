import { isFields } from "../../../acp/checks.ts";
import { Code, RpcError } from "../../../acp/errors.ts";
import { messageOf } from "../../../ground/thrown.ts";

/** What a provider's HTTP status says, in the words that adapters use for it too. */
const KINDS: Readonly<Record<number, string>> = {
  400: "bad_request",
  401: "not_logged_in",
  403: "not_logged_in",
  404: "model_missing",
  413: "context_too_long",
  429: "rate_limited",
  503: "overloaded",
  529: "overloaded",
};

const TOO_LONG = /context (window|length)|too long|maximum context/i;

/**
 * What a model's provider answered instead of a stream: the AI SDK's `APICallError`, or the last of several in a
 * `RetryError`. Any other error is the module's own, and stays as it is. A missing key is no -32000 here: editors would
 * offer a login, and there is none.
 */
export function providerFailure(error: unknown): unknown {
  const last = isFields(error) && "lastError" in error ? error.lastError : error;
  if (!isFields(last) || typeof last.statusCode !== "number") return error;
  const { statusCode: status } = last;
  const message = messageOf(error);
  const kind = TOO_LONG.test(message) ? "context_too_long" : (KINDS[status] ?? "provider_error");
  return new RpcError(Code.internal, message || `The model's provider answered ${status}.`, { kind, status });
}

import { type Fields, isFields } from "../../../acp/checks.ts";
import { parsed } from "../../../ground/json.ts";

/** JSON, as the AI SDK's provider options are made of. */
type Json = null | string | number | boolean | Json[] | { [key: string]: Json | undefined };

/**
 * What an ACP block says beside its content travels in a part's `providerOptions.acp`, which providers pass over: so
 * nothing is lost on the way to a model and back.
 */
export function keptFields(fields: Fields): {
  providerOptions?: { acp: { [key: string]: Json | undefined } };
} {
  const told = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  if (told.length === 0) return {};
  const acp: unknown = parsed(JSON.stringify(Object.fromEntries(told)));
  return isJsonObject(acp) ? { providerOptions: { acp } } : {};
}

/** What `keptFields` put there. */
export function fieldsKeptIn(part: object): Fields {
  const options = "providerOptions" in part ? part.providerOptions : undefined;
  return isFields(options) && isFields(options.acp) ? options.acp : {};
}

/** What was parsed as JSON is nothing else. */
const isJsonObject = (value: unknown): value is { [key: string]: Json | undefined } => isFields(value);

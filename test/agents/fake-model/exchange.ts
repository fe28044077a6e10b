import type { IncomingHttpHeaders } from "node:http";
import type { Conversation } from "./script/conversation.ts";
import { type Cue, cueOf } from "./script/cue.ts";

/** The headers that say something about the client and hold no secret. */
const SHOWN_HEADERS = ["accept", "anthropic-version", "content-type", "user-agent"];

/** One request to the model, as a test may look at it. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, parsed; null when there was none or it is not JSON. */
  readonly body: unknown;
  /** What was asked of the model; undefined for a token count or a model list. */
  readonly asked?: Asked;
  /** How it ended; undefined while it has not. A client hangs up when its turn is cancelled. */
  readonly ended?: "answered" | "hung up";
}

export interface Asked {
  readonly api: string;
  readonly conversation: Conversation;
  readonly cue: Cue | undefined;
}

export const asked = (api: string, conversation: Conversation): Asked => ({
  api,
  conversation,
  cue: cueOf(conversation),
});

export function shownHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const name of SHOWN_HEADERS) {
    const value = headers[name];
    if (typeof value === "string") shown[name] = value;
  }
  return shown;
}

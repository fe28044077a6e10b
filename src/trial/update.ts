import { type Fields, resultOf } from "../acp/checks.ts";
import { UPDATE } from "../acp/methods.ts";
import { kindOf, tellsState, updateOf } from "../acp/updates.ts";
import type { Message } from "../wire/message.ts";
import type { Entry } from "./entry.ts";
import type { Recording } from "./recording.ts";

/** A `session/update` of the agent's. */
export interface Update {
  readonly entry: Entry;
  readonly sessionId: unknown;
  readonly kind: string;
  readonly fields: Fields;
}

/** The notification that a message is; an empty one when it is none. */
export const notificationIn = (message: Message): { method: string; params: Fields } =>
  message.kind === "notification"
    ? { method: message.method, params: resultOf(message.params) }
    : { method: "", params: {} };

export function updateIn(entry: Entry): Update | undefined {
  if (entry.kind !== "heard") return undefined;
  const { method, params } = notificationIn(entry.message);
  if (method !== UPDATE) return undefined;
  const fields = updateOf(params);
  return { entry, sessionId: params.sessionId, kind: kindOf(fields), fields };
}

export const updatesOf = ({ entries }: Recording): Update[] =>
  entries.flatMap((entry) => updateIn(entry) ?? []);

/** What happens in a turn, as against how the session stands. */
export const isHistory = (kind: string): boolean =>
  kind !== "" && !tellsState(kind) && kind !== "usage_update";

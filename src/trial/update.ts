import { type Fields, resultOf } from "../acp/checks.ts";
import { UPDATE } from "../acp/methods.ts";
import { kindOf, tellsState, updateOf } from "../acp/updates.ts";
import type { Entry } from "./entry.ts";
import type { Recording } from "./recording.ts";

/** A `session/update` of the agent's. */
export interface Update {
  readonly entry: Entry;
  readonly sessionId: unknown;
  readonly kind: string;
  readonly fields: Fields;
}

export function updateIn(entry: Entry): Update | undefined {
  if (entry.kind !== "heard") return undefined;
  const { message } = entry;
  if (message.kind !== "notification" || message.method !== UPDATE) return undefined;
  const params = resultOf(message.params);
  const fields = updateOf(params);
  return { entry, sessionId: params.sessionId, kind: kindOf(fields), fields };
}

export const updatesOf = ({ entries }: Recording): Update[] =>
  entries.flatMap((entry) => updateIn(entry) ?? []);

/** What happens in a turn, as against how the session stands. */
export const isHistory = (kind: string): boolean =>
  kind !== "" && !tellsState(kind) && kind !== "usage_update";

import type { Fields } from "../acp/checks.ts";
import { HallKey } from "../acp/extensions.ts";
import { ClientMethod, UPDATE } from "../acp/methods.ts";

/** A `session/update` of the hall's own, as it stands in the journal, without its newline. */
export function hallLine(sessionId: string, update: Fields, meta?: Fields): Buffer {
  const params = meta ? { sessionId, update, _meta: meta } : { sessionId, update };
  return Buffer.from(JSON.stringify({ jsonrpc: "2.0", method: UPDATE, params }));
}

/** A question of the hall's own, without its newline; each client gets it under an id of its own. */
export function permissionRequest(sessionId: string, toolCall: Fields, options: readonly object[]): Buffer {
  const params = { sessionId, toolCall, options };
  return Buffer.from(
    JSON.stringify({ jsonrpc: "2.0", id: 0, method: ClientMethod.requestPermission, params }),
  );
}

/** A tool call that its agent left open when the turn ended. */
export const toolCallClosed = (toolCallId: string): Fields => ({
  sessionUpdate: "tool_call_update",
  toolCallId,
  status: "failed",
  _meta: { [HallKey.closed]: true },
});

/** One block of what the user said. */
export const userChunk = (content: Fields): Fields => ({ sessionUpdate: "user_message_chunk", content });

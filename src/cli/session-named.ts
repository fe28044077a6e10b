import { isFields, metaOf, optionalString, resultOf } from "../acp/checks.ts";
import { HallKey } from "../acp/extensions.ts";
import { AgentMethod } from "../acp/methods.ts";
import { listIn } from "./ask-hall.ts";
import type { Connection } from "./connection.ts";

/** A whole id, as the hall makes them. */
const WHOLE = /^hs_[0-9a-f]{32}$/;
/** Ids that an error names. */
const NAMED_IDS = 5;

/**
 * The id of the session that is named by its id, or by as much of it as no other begins with, among those that this
 * connection may see and that had a turn. One that is not among them is the hall's to refuse. Rejects when several
 * begin so. Needs no more than the scope `observe`.
 */
export async function sessionNamed(hall: Connection, beginning: string): Promise<string> {
  if (WHOLE.test(beginning)) return beginning;
  const found: string[] = [];
  for await (const { sessionId } of listed(hall)) if (sessionId.startsWith(beginning)) found.push(sessionId);
  const [id] = found;
  if (id === undefined || beginning === "") return beginning;
  if (found.length === 1) return id;
  const named = found.slice(0, NAMED_IDS).join(", ");
  const more = found.length > NAMED_IDS ? ` and ${found.length - NAMED_IDS} more` : "";
  throw new Error(`Several sessions begin with ${beginning}: ${named}${more}; write more of the id.`);
}

/** In which slot a session is, if that can be told. */
export async function slotOfSession(hall: Connection, id: string): Promise<string | undefined> {
  for await (const { sessionId, slot } of listed(hall)) if (sessionId === id) return slot;
  return undefined;
}

async function* listed(hall: Connection): AsyncGenerator<{ sessionId: string; slot: string | undefined }> {
  let cursor: unknown;
  do {
    const page = resultOf(await hall.ask(AgentMethod.listSessions, cursor === undefined ? {} : { cursor }));
    for (const session of listIn(page, "sessions").filter(isFields)) {
      const slot = optionalString(metaOf(session), HallKey.slot);
      yield { sessionId: String(session.sessionId), slot };
    }
    cursor = page.nextCursor;
  } while (typeof cursor === "string");
}

import { type Fields, fieldsOf, isFields, optionalString } from "../acp/checks.ts";
import { Code } from "../acp/errors.ts";
import { HallMethod } from "../acp/extensions.ts";
import { RequestFailed } from "../wire/peer.ts";
import { listIn } from "./ask-hall.ts";
import type { Connection } from "./connection.ts";
import { sessionNamed } from "./session-named.ts";

/** The session that was named is not there, or is somebody else's: a hall does not say which. */
export class UnknownSession extends Error {}

export interface KnownSession {
  id: string;
  /** Undefined: the hall does not tell us, and takes the session's own. */
  cwd: string | undefined;
  slot: string | undefined;
  /** Its turns, as `_hall/sessions` tells them; none where it tells us nothing. */
  history: readonly Fields[];
}

/**
 * The session whose id is this, or the only one whose id begins so; without the scope for that question it is looked
 * for among those that are listed to us. Rejects with UnknownSession.
 */
export async function knownSession(hall: Connection, wanted: string): Promise<KnownSession> {
  let detail: Fields;
  try {
    detail = fieldsOf(await hall.ask(HallMethod.sessions, { sessionId: wanted }));
  } catch (error) {
    if (isUnknown(error)) throw unknownSession(wanted);
    if (isNotForUs(error)) {
      const id = await sessionNamed(hall, wanted);
      return { id, cwd: undefined, slot: undefined, history: [] };
    }
    throw error;
  }
  const id = optionalString(detail, "sessionId") ?? wanted;
  return {
    id,
    cwd: optionalString(detail, "cwd"),
    slot: optionalString(detail, "slot"),
    history: listIn(detail, "history"),
  };
}

export const isUnknown = (error: unknown): boolean =>
  error instanceof RequestFailed && error.error.code === Code.notFound;

export const unknownSession = (wanted: string): UnknownSession =>
  new UnknownSession(`There is no session ${wanted}, or it is not yours to see; hall sessions lists them.`);

/** The scope `admin` is missing. */
const isNotForUs = (error: unknown): boolean =>
  error instanceof RequestFailed && isFields(error.error.data) && error.error.data.kind === "not_authorized";

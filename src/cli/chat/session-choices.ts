import { fieldsOf, metaOf, optionalString } from "../../acp/checks.ts";
import { HallKey } from "../../acp/extensions.ts";
import { AgentMethod } from "../../acp/methods.ts";
import { listIn } from "../ask-hall.ts";
import { columns } from "../columns.ts";
import type { Connection } from "../connection.ts";
import { moment } from "../moment.ts";
import type { Paint } from "../paint.ts";
import { printable } from "../printable.ts";

/** More than these nobody reads. */
const MOST = 15;
const TITLE_CHARACTERS = 50;

export interface SessionChoice {
  readonly id: string;
  readonly slot: string;
  readonly title: string;
  /** ISO 8601; an empty string: not known. */
  readonly updatedAt: string;
}

/** The newest sessions, of those that we may see. Rejects with a RequestFailed. */
export async function listSessions(hall: Connection): Promise<SessionChoice[]> {
  const answer = fieldsOf(await hall.ask(AgentMethod.listSessions, {}));
  return listIn(answer, "sessions")
    .slice(0, MOST)
    .map((session) => ({
      id: String(session.sessionId),
      slot: optionalString(metaOf(session), HallKey.slot) ?? "",
      title: optionalString(session, "title") ?? "",
      updatedAt: optionalString(session, "updatedAt") ?? "",
    }));
}

/** The list, for people. `current`: the id of the one that is chatted in. */
export function sessionLines(
  sessions: readonly SessionChoice[],
  current: string,
  { bold, dim }: Paint,
): string[] {
  if (sessions.length === 0) return [dim("No session has had a turn yet.")];
  const lines = columns(
    sessions.map(({ id, slot, title, updatedAt }, at) => [
      String(at + 1).padStart(3),
      slot,
      moment(updatedAt),
      shortened(title) + (id === current ? "  (this one)" : ""),
    ]),
  );
  return [bold("Sessions"), ...lines, dim("Type a number to go on in one; Enter stays here.")];
}

const shortened = (title: string): string => {
  const line = printable(title).replaceAll("\n", " ");
  return line.length > TITLE_CHARACTERS ? `${line.slice(0, TITLE_CHARACTERS - 1)}…` : line;
};

import { isFields } from "../../../acp/checks.ts";
import type { Turn } from "../turn.ts";

/**
 * The turns that graphs of this process play, by session. A node is a plain function that gets its state and nothing
 * of ours: this one table is how it finds its way back to the client.
 */
const playing = new Map<string, Turn>();

/** Plays within a turn that `turnOf` finds. */
export async function during<T>(turn: Turn, play: () => Promise<T>): Promise<T> {
  playing.set(turn.session.id, turn);
  try {
    return await play();
  } finally {
    // One that was given up may end when the next one plays.
    if (playing.get(turn.session.id) === turn) playing.delete(turn.session.id);
  }
}

/**
 * The turn that a node runs in: to read files, to ask, to say something.
 *
 * @param where the node's state (`_acp_session_id`), its config (`thread_id`), or a session's id
 * @throws when none of a session's turns runs
 */
export function turnOf(where: unknown): Turn {
  const id = sessionIdIn(where);
  const turn = id === undefined ? undefined : playing.get(id);
  if (turn) return turn;
  const what = id === undefined ? "There is no session id here" : `No turn of session ${id} runs`;
  throw new Error(`${what}; give turnOf the node's state, with the channel _acp_session_id, or its config.`);
}

function sessionIdIn(where: unknown): string | undefined {
  if (typeof where === "string") return where;
  if (!isFields(where)) return undefined;
  const { configurable, _acp_session_id: id } = where;
  if (typeof id === "string") return id;
  return isFields(configurable) && typeof configurable.thread_id === "string"
    ? configurable.thread_id
    : undefined;
}

import { isFields } from "../acp/checks.ts";
import { HallKey } from "../acp/extensions.ts";
import { AgentMethod } from "../acp/methods.ts";
import type { ErrorBody } from "../wire/message.ts";
import { kindOf } from "./error-kind.ts";
import type { HallConnection } from "./hall-connection.ts";
import type { Place, Places } from "./places.ts";

export interface ResumptionParts {
  places: Places;
  hall: HallConnection;
  /** A session is read on. `answer`: the hall's, with what is in force in it. */
  resumed(sessionId: string, answer: Buffer): void;
  /** A session's journal is not the one of before: what it had lost is not known. */
  torn(sessionId: string): void;
}

/** As `resume`, each session; `done` when each is read on, cannot be read for now, or is not there any more. */
export function resumeAll(parts: ResumptionParts, done: () => void): void {
  const places = parts.places.all;
  let left = places.length;
  const settled = (): void => {
    left -= 1;
    if (left === 0) done();
  };
  if (left === 0) done();
  else for (const place of places) resume(place, parts, settled);
}

/** Reads a session on from where it was cut, over a new connection. One that cannot be read for now keeps its place. */
export function resume(place: Place, parts: ResumptionParts, settled: () => void = () => {}): void {
  const { places, hall, resumed, torn } = parts;
  const { sessionId } = place;
  place.isCut = false;
  hall.ask(AgentMethod.resumeSession, paramsOf(place), ({ error }, answer) => {
    if (error && isElsewhere(place, error)) {
      torn(sessionId);
      resume(place, parts, settled);
      return;
    }
    if (!error) resumed(sessionId, answer);
    // Its disk is full, or worse: what the session has told is there when that is over.
    else if (kindOf(error) === "journal_failed") place.isCut = true;
    else places.forget(sessionId);
    settled();
  });
}

function paramsOf({ sessionId, cwd, additionalDirectories, journal, cursor }: Place): object {
  return {
    sessionId,
    ...(cwd === undefined ? {} : { cwd }),
    ...(additionalDirectories === undefined ? {} : { additionalDirectories }),
    _meta: { [HallKey.journal]: journal, [HallKey.cursor]: cursor },
  };
}

/**
 * What the hall had when its machine went down, and the disk had not, is gone: it is read on from what there is. True:
 * the place is another one now.
 */
function isElsewhere(place: Place, error: ErrorBody): boolean {
  if (kindOf(error) !== "bad_cursor" || !isFields(error.data)) return false;
  const { journal, cursor } = error.data;
  if (typeof journal !== "string" || typeof cursor !== "number") return false;
  if (place.journal === journal && place.cursor === cursor) return false;
  Object.assign(place, { journal, cursor });
  return true;
}

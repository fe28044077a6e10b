import { isFields } from "../acp/checks.ts";
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
  /** Each session is read on, or is not there any more. */
  done(): void;
}

/** Reads each session on from where it was cut, over a new connection. */
export function resumeAll({ places, hall, resumed, torn, done }: ResumptionParts): void {
  let left = places.all.length;
  const settled = (): void => {
    left -= 1;
    if (left === 0) done();
  };
  const resume = (place: Place): void => {
    const { sessionId } = place;
    hall.ask(AgentMethod.resumeSession, paramsOf(place), ({ error }, answer) => {
      if (error && isElsewhere(place, error)) {
        torn(sessionId);
        resume(place);
        return;
      }
      if (error) places.forget(sessionId);
      else resumed(sessionId, answer);
      settled();
    });
  };
  if (left === 0) done();
  else for (const place of places.all) resume(place);
}

function paramsOf({ sessionId, cwd, additionalDirectories, journal, cursor }: Place): object {
  return {
    sessionId,
    ...(cwd === undefined ? {} : { cwd }),
    ...(additionalDirectories === undefined ? {} : { additionalDirectories }),
    _meta: { "hall/journal": journal, "hall/cursor": cursor },
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

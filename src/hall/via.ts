import { type Fields, metaOf } from "../acp/checks.ts";
import { failure, invalidParams } from "../acp/errors.ts";
import { HallKey } from "../acp/extensions.ts";

/** Halls in a row. More of them is a mistake that ids did not show. */
const LONGEST = 8;

/**
 * The halls that a session is asked for through. Throws `hall_loop` when this one (`hallId`) is among them: the halls
 * stand in a ring, and each would ask the next for ever; and when there are too many. Throws -32602 for no such list.
 */
export function viaOf(params: Fields, hallId: string): string[] {
  const via = metaOf(params)[HallKey.via];
  if (via === undefined) return [];
  if (!Array.isArray(via) || !via.every((one) => typeof one === "string"))
    throw invalidParams(`"${HallKey.via}" must be a list of the ids of halls.`);
  if (via.includes(hallId))
    throw failure(
      "hall_loop",
      "This hall is asked for a session that it asks for itself: the halls behind its slots lead back to it. Point `hall` in one of their rosters at an agent.",
      { halls: via.length },
    );
  if (via.length >= LONGEST)
    throw failure(
      "hall_loop",
      `This session is asked for through ${via.length} halls, and ${LONGEST} are the most.`,
      {
        halls: via.length,
      },
    );
  return via;
}

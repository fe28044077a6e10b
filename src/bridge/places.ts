import { type Fields, isFields, metaOf, optionalString } from "../acp/checks.ts";
import { HallKey } from "../acp/extensions.ts";

/** How far one session was read. */
export interface Place {
  readonly sessionId: string;
  journal: string;
  /** The bytes of the session's updates that came. */
  cursor: number;
  /** As the editor said when it opened the session: said again when it is taken up. */
  cwd: unknown;
  additionalDirectories: unknown;
  /** The hall could not read the session on: nothing of it comes. */
  isCut: boolean;
}

/** The sessions that the editor looks at, and how far each was read. */
export class Places {
  readonly #places = new Map<string, Place>();
  /** By session, keys of the prompts that were sent from here: also of those that came before a place was known. */
  readonly #ownTurns = new Map<string, Set<string>>();

  get all(): Place[] {
    return [...this.#places.values()];
  }

  get(sessionId: unknown): Place | undefined {
    return typeof sessionId === "string" ? this.#places.get(sessionId) : undefined;
  }

  /** The hall reads a session to us from `cursor` on. */
  begin(sessionId: string, journal: string, cursor: number): Place {
    const known = this.#places.get(sessionId);
    if (known) return Object.assign(known, { journal, cursor, isCut: false });
    const place = {
      sessionId,
      journal,
      cursor,
      cwd: undefined,
      additionalDirectories: undefined,
      isCut: false,
    };
    this.#places.set(sessionId, place);
    return place;
  }

  /** As the hall's answer to a new session says. */
  beginAt(sessionId: string, result: Fields): Place {
    const meta = metaOf(result);
    const cursor = meta[HallKey.cursor];
    return this.begin(
      sessionId,
      optionalString(meta, HallKey.journal) ?? "",
      typeof cursor === "number" ? cursor : 0,
    );
  }

  forget(sessionId: unknown): void {
    if (typeof sessionId !== "string") return;
    this.#places.delete(sessionId);
    this.#ownTurns.delete(sessionId);
  }

  /** A prompt is sent from here: the editor knows what it says itself. */
  says(sessionId: unknown, turn: string): void {
    if (typeof sessionId !== "string") return;
    const own = this.#ownTurns.get(sessionId) ?? new Set();
    this.#ownTurns.set(sessionId, own.add(turn));
  }

  /** An update came. True: it is what the editor said itself in a prompt. */
  count(params: unknown, bytes: number): boolean {
    const place = isFields(params) ? this.get(params.sessionId) : undefined;
    if (!place || !isFields(params)) return false;
    place.cursor += bytes;
    const turn = metaOf(params)[HallKey.turn];
    return typeof turn === "string" && this.#ownTurns.get(place.sessionId)?.has(turn) === true;
  }
}

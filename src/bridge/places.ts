import { type Fields, isFields, metaOf, optionalString } from "../acp/checks.ts";

/** How far one session was read. */
export interface Place {
  readonly sessionId: string;
  journal: string;
  /** The bytes of the session's updates that came. */
  cursor: number;
  /** As the editor said when it opened the session: said again when it is taken up. */
  cwd: unknown;
  additionalDirectories: unknown;
  /** Keys of the prompts that were sent from here: the editor knows what it said itself. */
  readonly ownTurns: Set<string>;
}

/** The sessions that the editor looks at, and how far each was read. */
export class Places {
  readonly #places = new Map<string, Place>();

  get all(): Place[] {
    return [...this.#places.values()];
  }

  get(sessionId: unknown): Place | undefined {
    return typeof sessionId === "string" ? this.#places.get(sessionId) : undefined;
  }

  /** The hall reads a session to us from `cursor` on. */
  begin(sessionId: string, journal: string, cursor: number): Place {
    const known = this.#places.get(sessionId);
    if (known) return Object.assign(known, { journal, cursor });
    const place = {
      sessionId,
      journal,
      cursor,
      cwd: undefined,
      additionalDirectories: undefined,
      ownTurns: new Set<string>(),
    };
    this.#places.set(sessionId, place);
    return place;
  }

  /** As the hall's answer to a new session says. */
  beginAt(sessionId: string, result: Fields): Place {
    const meta = metaOf(result);
    const cursor = meta["hall/cursor"];
    return this.begin(
      sessionId,
      optionalString(meta, "hall/journal") ?? "",
      typeof cursor === "number" ? cursor : 0,
    );
  }

  forget(sessionId: unknown): void {
    if (typeof sessionId === "string") this.#places.delete(sessionId);
  }

  /** An update came. True: it is what the editor said itself in a prompt. */
  count(params: unknown, bytes: number): boolean {
    const place = isFields(params) ? this.get(params.sessionId) : undefined;
    if (!place || !isFields(params)) return false;
    place.cursor += bytes;
    const turn = metaOf(params)["hall/turn"];
    return typeof turn === "string" && place.ownTurns.has(turn);
  }
}

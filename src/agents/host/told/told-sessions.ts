import { join } from "node:path";
import { type Fields, isFields, optionalString } from "../../../acp/checks.ts";
import { invalidParams } from "../../../acp/errors.ts";
import type { Clock } from "../../../ground/clock.ts";
import type { Disk } from "../../../ground/disk.ts";
import { parsed } from "../../../ground/json.ts";
import { isSessionId } from "../session-id.ts";
import { ToldSession } from "./told-session.ts";

export interface ToldSessionsParts {
  disk: Disk;
  clock: Clock;
  notice(what: string): void;
  /** Bytes that are kept of a session; without it, 4 MiB. */
  keptBytes?: number;
}

/** Sessions of a page of the list. */
const PAGE = 50;
const ABOUT = ".session.json";

/** What the clients of an agent's sessions were told: what an agent needs to list and load them without a hall. */
export class ToldSessions {
  readonly #folder: string;
  readonly #parts: ToldSessionsParts;

  constructor(folder: string, parts: ToldSessionsParts) {
    this.#folder = folder;
    this.#parts = parts;
  }

  /** Undefined for an id that is none of ours. */
  of(id: string, where: { cwd: string; additionalDirectories: readonly string[] }): ToldSession | undefined {
    if (!isSessionId(id)) return undefined;
    this.#parts.disk.makeFolder(this.#folder);
    const { updates, about } = this.#files(id);
    return new ToldSession({ ...this.#parts, ...where, updates, about });
  }

  has(id: string): boolean {
    return isSessionId(id) && this.#parts.disk.exists(this.#files(id).about);
  }

  forget(id: string): void {
    if (!isSessionId(id)) return;
    const { updates, about } = this.#files(id);
    for (const file of [about, updates]) this.#parts.disk.remove(file);
  }

  /**
   * The answer to `session/list`: sessions that had a turn, newest first.
   *
   * @throws RpcError -32602 for a cursor that is none of ours
   */
  list(params: Fields): Fields {
    const cwd = optionalString(params, "cwd");
    const cursor = optionalString(params, "cursor");
    const all = this.#all().filter((session) => cwd === undefined || session.cwd === cwd);
    const before = cursor === undefined ? -1 : all.findIndex(({ sessionId }) => sessionId === cursor);
    if (cursor !== undefined && before === -1)
      throw invalidParams("This cursor is not one of this list; list again from the start.");
    const page = all.slice(before + 1, before + 1 + PAGE);
    const isLast = before + 1 + PAGE >= all.length;
    return { sessions: page, ...(isLast ? {} : { nextCursor: page.at(-1)?.sessionId }) };
  }

  #all(): Fields[] {
    const { disk } = this.#parts;
    const sessions = disk.list(this.#folder).flatMap((name): Fields[] => {
      if (!name.endsWith(ABOUT)) return [];
      const about = parsed(disk.read(join(this.#folder, name))?.toString() ?? "");
      return isFields(about) ? [{ ...about, sessionId: name.slice(0, -ABOUT.length) }] : [];
    });
    return sessions.sort((one, other) => (String(one.updatedAt) < String(other.updatedAt) ? 1 : -1));
  }

  #files(id: string): { updates: string; about: string } {
    return { updates: join(this.#folder, `${id}.updates.jsonl`), about: join(this.#folder, id + ABOUT) };
  }
}

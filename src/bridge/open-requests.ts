import type { Id } from "../wire/message.ts";

/** The editor's requests that have no answer yet. An id that is used twice is answered twice. */
export class OpenRequests {
  readonly #counts = new Map<Id, number>();

  asked(id: Id): void {
    this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1);
  }

  answered(id: Id): void {
    const left = (this.#counts.get(id) ?? 0) - 1;
    if (left > 0) this.#counts.set(id, left);
    else this.#counts.delete(id);
  }

  /** The ids that wait, in the order in which they were first asked; from now on nothing is open. */
  takeAll(): Id[] {
    const ids = [...this.#counts].flatMap(([id, count]) => Array.from({ length: count }, () => id));
    this.#counts.clear();
    return ids;
  }
}

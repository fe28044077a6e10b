import type { IncomingRequest } from "../wire/peer.ts";
import type { Painter } from "./painter.ts";
import { type Person, readQuestion } from "./person.ts";

/** The permission questions of one connection: shown, put to the person, answered. */
export class Questions {
  readonly #painter: Painter;
  readonly #person: Person;
  readonly #open = new Map<IncomingRequest, AbortController>();

  constructor(painter: Painter, person: Person) {
    this.#painter = painter;
    this.#person = person;
  }

  /** Resolves when it is answered; rejects when it is no proper question. */
  async put(request: IncomingRequest): Promise<void> {
    const question = readQuestion(request.params);
    const withdrawal = new AbortController();
    this.#open.set(request, withdrawal);
    this.#painter.asked(question, this.#person.keysFor(question));
    const choice = await this.#person.decide(question, withdrawal.signal);
    this.#open.delete(request);
    if (choice) {
      this.#painter.answered(choice);
      request.reply({ outcome: { outcome: "selected", optionId: choice.optionId } });
    } else {
      this.#painter.note("Nobody answered, and the question was withdrawn: that is a no.");
      request.reply({ outcome: { outcome: "cancelled" } });
    }
  }

  withdraw(request: IncomingRequest): void {
    this.#open.get(request)?.abort();
  }

  withdrawAll(): void {
    for (const withdrawal of this.#open.values()) withdrawal.abort();
  }
}

import type { Cancel, Clock } from "../ground/clock.ts";
import {
  CANCELLED,
  consent,
  type Ending,
  type Outcome,
  outcomeOf,
  type Question,
  refusal,
} from "./question.ts";

/** Someone who may be asked: one client that looks at the question's session. */
export interface Askee {
  /** For the record: who this is. */
  readonly name: string;
  /** False once the client has said that it does not know how to answer. */
  readonly canAnswer: boolean;
  /** Puts the question on its way; the answer to it takes it back, wherever it is by then. */
  ask(question: Question): Withdraw;
}

export type Withdraw = () => void;

export interface Asked {
  question: Question;
  /** Milliseconds until an unanswered question is refused; undefined: never. */
  timeout: number | undefined;
  /** Called once. */
  settle(outcome: Outcome, ending: Ending): void;
}

interface Open extends Asked {
  askees: Map<Askee, Withdraw>;
  /** Somebody was there who looked at its session. */
  wasAsked: boolean;
  stopTimer: Cancel;
}

/**
 * Holds every question that waits. All who may answer are asked, the first answer wins, the others are told
 * that it is over. Nothing allows by itself: no answer, a wrong one, a late one are all a no.
 */
export class Desk {
  readonly #clock: Clock;
  readonly #open = new Map<string, Open>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Questions that wait, the oldest first. */
  *waiting(sessionId?: string): Iterable<Question> {
    for (const { question } of this.#open.values()) {
      if (sessionId === undefined || question.sessionId === sessionId) yield question;
    }
  }

  /** What is known of a question that waits: who has it, and until when. */
  standing({ id }: Question): { askees: string[]; timeout: number | undefined } | undefined {
    const open = this.#open.get(id);
    return open && { askees: [...open.askees.keys()].map(({ name }) => name), timeout: open.timeout };
  }

  isOpen(question: Question): boolean {
    return this.#open.has(question.id);
  }

  /** Opens a question and asks `askees`. With nobody there it waits for whoever comes, or for its time to run out. */
  open(asked: Asked, askees: Iterable<Askee>): void {
    const { question, timeout } = asked;
    const open: Open = { ...asked, askees: new Map(), wasAsked: false, stopTimer: () => {} };
    this.#open.set(question.id, open);
    if (timeout !== undefined) {
      open.stopTimer = this.#clock.after(timeout, () =>
        this.#end(question.id, refusal(question.options), { how: "expired", attended: open.wasAsked }),
      );
    }
    for (const askee of askees) this.#ask(open, askee);
    this.#giveUpIfHopeless(open);
  }

  /** Someone came who may answer the open questions of this session. */
  came(sessionId: string, askee: Askee): void {
    for (const open of this.#open.values()) {
      if (open.question.sessionId === sessionId && !open.askees.has(askee)) this.#ask(open, askee);
    }
  }

  /** Someone left; what it was asked waits for the others, or for whoever comes. */
  left(askee: Askee): void {
    for (const open of this.#open.values()) {
      open.askees.get(askee)?.();
      open.askees.delete(askee);
    }
  }

  /** An answer. One that comes when the question is over, or from someone who was not asked, counts for nothing. */
  answer(question: Question, askee: Askee, result: unknown): void {
    const open = this.#open.get(question.id);
    if (!open?.askees.delete(askee)) return;
    this.#end(question.id, outcomeOf(result, question.options), { how: "answered", by: askee.name });
  }

  /**
   * Decides a question from beside, in the name of somebody who was not asked it. `gone`: it does not wait any more;
   * `not offered`: its agent offers no way to be allowed just once.
   */
  decide(id: string, allow: boolean, by: string): "decided" | "gone" | "not offered" {
    const open = this.#open.get(id);
    if (!open) return "gone";
    const { options } = open.question;
    const outcome = allow ? consent(options) : refusal(options);
    if (!outcome) return "not offered";
    this.#end(id, outcome, { how: "answered", by });
    return "decided";
  }

  /** This client does not know how to answer: the others still may; with nobody left the answer is no. */
  unable(question: Question, askee: Askee): void {
    const open = this.#open.get(question.id);
    if (!open?.askees.delete(askee)) return;
    this.#giveUpIfHopeless(open);
  }

  /** The question no longer matters: its turn was cancelled or is over, or its agent took it back. */
  withdraw(question: Question): void {
    this.#end(question.id, CANCELLED, { how: "withdrawn" });
  }

  #ask(open: Open, askee: Askee): void {
    open.wasAsked = true;
    if (askee.canAnswer) open.askees.set(askee, askee.ask(open.question));
  }

  #giveUpIfHopeless(open: Open): void {
    if (open.wasAsked && open.askees.size === 0) {
      this.#end(open.question.id, refusal(open.question.options), { how: "unanswerable" });
    }
  }

  #end(id: string, outcome: Outcome, ending: Ending): void {
    const open = this.#open.get(id);
    if (!open) return;
    this.#open.delete(id);
    open.stopTimer();
    for (const withdraw of open.askees.values()) withdraw();
    open.settle(outcome, ending);
  }
}

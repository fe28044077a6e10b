import { type Fields, isFields } from "../acp/checks.ts";
import type { Clock } from "../ground/clock.ts";
import type { Askee, Desk } from "../permission/desk.ts";
import {
  allows,
  type Ending,
  type Outcome,
  optionsOf,
  type Question,
  refusal,
} from "../permission/question.ts";
import type { IncomingRequest } from "../wire/peer.ts";
import type { Events } from "./events.ts";
import type { SessionFiles } from "./session-files.ts";

/** Questions that may wait in one session, and bytes of them beside the first; one more is refused at once. */
const OPEN_LIMIT = 64;
const OPEN_BYTES = 16 * 1024 * 1024;

export interface QuestionsParts {
  clock: Clock;
  desk: Desk;
  events: Events;
  files: SessionFiles;
  nextId(): string;
  askees(): Iterable<Askee>;
  /** Milliseconds until an unanswered question is refused; undefined: never. */
  timeout(): number | undefined;
  /** A question opened, or the last one closed. */
  changed(anyOpen: boolean): void;
  noticed(what: string, detail?: unknown): void;
}

/** The permission questions of one session's agent, on their way to the desk and back. */
export class Questions {
  readonly #parts: QuestionsParts;
  readonly #open = new Map<IncomingRequest, Question>();
  #openBytes = 0;

  constructor(parts: QuestionsParts) {
    this.#parts = parts;
  }

  get anyOpen(): boolean {
    return this.#open.size > 0;
  }

  /** `line`: the request as it goes to clients. `turn`: the one that runs, if any. */
  ask(request: IncomingRequest, params: Fields, line: Buffer, turn: string | undefined): void {
    const { clock, desk, events, files, noticed } = this.#parts;
    const options = optionsOf(params);
    if (this.#open.size >= OPEN_LIMIT || (this.anyOpen && this.#openBytes + line.length > OPEN_BYTES)) {
      noticed(`${this.#open.size} questions of ${this.#openBytes} bytes are open; one more was refused`);
      request.reply({ outcome: refusal(options) });
      return;
    }
    const toolCall = isFields(params.toolCall) ? params.toolCall : {};
    const question: Question = {
      id: this.#parts.nextId(),
      sessionId: files.id,
      toolCallId: typeof toolCall.toolCallId === "string" ? toolCall.toolCallId : undefined,
      title: typeof toolCall.title === "string" ? toolCall.title : undefined,
      options,
      line,
      askedAt: clock.now(),
    };
    this.#open.set(request, question);
    this.#openBytes += line.length;
    this.#remember(() =>
      files.write({
        type: "asked",
        at: question.askedAt,
        question: question.id,
        ...(turn === undefined ? {} : { turn }),
        ...(question.title === undefined ? {} : { title: question.title }),
        ...(question.toolCallId === undefined ? {} : { toolCall: question.toolCallId }),
      }),
    );
    events.emit("question.asked", { session: files.id, question: question.id });
    this.#parts.changed(true);
    desk.open(
      {
        question,
        timeout: this.#parts.timeout(),
        settle: (outcome, ending) => this.#settle(request, question, outcome, ending),
      },
      this.#parts.askees(),
    );
  }

  /** The agent takes its question back. */
  withdrawn(request: IncomingRequest): void {
    const question = this.#open.get(request);
    if (question) this.#parts.desk.withdraw(question);
  }

  /** The turn that they belong to was cancelled or is over. */
  withdrawAll(): void {
    for (const question of [...this.#open.values()]) this.#parts.desk.withdraw(question);
  }

  #settle(request: IncomingRequest, question: Question, outcome: Outcome, ending: Ending): void {
    const { clock, events, files } = this.#parts;
    if (this.#open.delete(request)) this.#openBytes -= question.line.length;
    request.reply({ outcome });
    const allowed = allows(outcome, question.options);
    this.#remember(() =>
      files.write({
        type: "decided",
        at: clock.now(),
        question: question.id,
        how: ending.how,
        allowed,
        ...(ending.how === "answered" ? { by: ending.by } : {}),
        ...(outcome.outcome === "selected" ? { option: outcome.optionId } : {}),
      }),
    );
    const ids = { session: files.id, question: question.id };
    if (ending.how === "answered") events.emit("question.answered", { ...ids, allowed, by: ending.by });
    else events.emit("question.expired", { ...ids, how: ending.how });
    this.#parts.changed(this.anyOpen);
  }

  /** What happened to a question is also told by the agent's next steps: a full disk does not decide it. */
  #remember(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#parts.noticed("a question could not be recorded", error);
    }
  }
}

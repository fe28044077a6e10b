import type { Clock } from "../ground/clock.ts";
import type { Askee, Desk } from "../permission/desk.ts";
import type { Judge, Law } from "../permission/judge.ts";
import type { Verdict } from "../permission/policy.ts";
import {
  allows,
  CANCELLED,
  consent,
  type Ending,
  type Option,
  type Outcome,
  type Question,
  refusal,
} from "../permission/question.ts";
import type { ToolCall } from "../permission/tool-call.ts";
import type { Events } from "./events.ts";
import type { SessionFiles } from "./session-files.ts";

/** Questions that may wait in one session, and bytes of them beside the first; one more is refused at once. */
const OPEN_LIMIT = 64;
const OPEN_BYTES = 16 * 1024 * 1024;

/** A question on its way in: the agent's own, or one of its hooks. */
export interface Inquiry {
  /** Whoever asks: by it the question can be taken back. */
  readonly asker: object;
  readonly via: "agent" | "socket";
  /** What it is about, for rules. */
  readonly call: ToolCall;
  readonly toolCallId: string | undefined;
  readonly title: string | undefined;
  readonly options: readonly Option[];
  /** The request as it goes to clients; only its id is exchanged. */
  readonly line: Buffer;
  /** The turn that runs, if any. */
  readonly turn: string | undefined;
  /** Milliseconds that the asker waits at most; undefined: as long as it takes. */
  readonly patience?: number | undefined;
  /** Called once. */
  answer(outcome: Outcome, ending: Ending): void;
}

export interface QuestionsParts {
  clock: Clock;
  desk: Desk;
  judge: Judge;
  events: Events;
  files: SessionFiles;
  nextId(): string;
  /** Clients that look on and can be asked. */
  askees(): Iterable<Askee>;
  law(): Law;
  /** Milliseconds until an unanswered question is refused; undefined: never. */
  timeout(): number | undefined;
  /** A question opened, or the last one closed. */
  changed(anyOpen: boolean): void;
  noticed(what: string, detail?: unknown): void;
}

interface Open {
  readonly question: Question;
  readonly inquiry: Inquiry;
}

/** The permission questions of one session: rules may decide them, else they go to the desk; each is recorded. */
export class Questions {
  readonly #parts: QuestionsParts;
  readonly #open = new Map<object, Open>();
  #openBytes = 0;

  constructor(parts: QuestionsParts) {
    this.#parts = parts;
  }

  get anyOpen(): boolean {
    return this.#open.size > 0;
  }

  ask(inquiry: Inquiry): void {
    const { clock, judge, noticed } = this.#parts;
    const bytes = this.#openBytes + inquiry.line.length;
    if (this.#open.size >= OPEN_LIMIT || (this.anyOpen && bytes > OPEN_BYTES)) {
      noticed(`${this.#open.size} questions of ${this.#openBytes} bytes are open; one more was refused`);
      inquiry.answer(refusal(inquiry.options), { how: "crowded" });
      return;
    }
    const { toolCallId, title, options, line, turn, call } = inquiry;
    const id = this.#parts.nextId();
    const sessionId = this.#parts.files.id;
    const question = {
      id,
      sessionId,
      turn,
      toolCallId,
      title,
      kind: call.kind,
      options,
      line,
      askedAt: clock.now(),
    };
    const open = { question, inquiry };
    this.#open.set(inquiry.asker, open);
    this.#recordAsked(open);
    this.#openBytes += line.length;
    this.#parts.changed(true);
    const verdict = judge.verdictOn(call, this.#parts.law());
    if (verdict instanceof Promise) void verdict.then((late) => this.#judged(open, late));
    else this.#judged(open, verdict);
  }

  /** Whoever asked takes the question back. */
  withdrawn(asker: object): void {
    const open = this.#open.get(asker);
    if (open) this.#withdraw(open);
  }

  /** The turn that they belong to was cancelled or is over. */
  withdrawAll(): void {
    for (const open of [...this.#open.values()]) this.#withdraw(open);
  }

  #withdraw(open: Open): void {
    const { desk } = this.#parts;
    if (desk.isOpen(open.question)) desk.withdraw(open.question);
    // It is still held against the rules.
    else this.#settle(open, CANCELLED, { how: "withdrawn" });
  }

  #judged(open: Open, { decision, rule, why }: Verdict): void {
    const { question, inquiry } = open;
    if (this.#open.get(inquiry.asker) !== open) return;
    const outcome = decision === "deny" ? refusal(question.options) : consent(question.options);
    if (decision === "ask" || !outcome || !rule) this.#toDesk(open);
    else this.#settle(open, outcome, { how: "rule", rule: rule.text, why });
  }

  #toDesk(open: Open): void {
    const { question, inquiry } = open;
    const limits = [this.#parts.timeout(), inquiry.patience].filter((limit) => limit !== undefined);
    this.#parts.desk.open(
      {
        question,
        timeout: limits.length === 0 ? undefined : Math.min(...limits),
        settle: (outcome, ending) => this.#settle(open, outcome, ending),
      },
      this.#parts.askees(),
    );
  }

  #settle(open: Open, outcome: Outcome, ending: Ending): void {
    if (!this.#open.delete(open.inquiry.asker)) return;
    this.#openBytes -= open.inquiry.line.length;
    open.inquiry.answer(outcome, ending);
    this.#recordDecided(open.question, outcome, ending);
    this.#parts.changed(this.anyOpen);
  }

  #recordAsked({ question, inquiry }: Open): void {
    const { events, files } = this.#parts;
    const { id, turn, title, kind, toolCallId, askedAt } = question;
    const ofTurn = turn === undefined ? {} : { turn };
    this.#remember(() =>
      files.write({
        type: "asked",
        at: askedAt,
        question: id,
        ...ofTurn,
        ...(title === undefined ? {} : { title }),
        ...(kind === undefined ? {} : { kind }),
        ...(toolCallId === undefined ? {} : { toolCall: toolCallId }),
        via: inquiry.via,
      }),
    );
    events.emit("question.asked", { sessionId: files.id, question: id, ...ofTurn });
  }

  #recordDecided({ id, options, askedAt }: Question, outcome: Outcome, ending: Ending): void {
    const { clock, events, files } = this.#parts;
    const allowed = allows(outcome, options);
    const latencyMs = clock.now() - askedAt;
    const decider = deciderOf(ending);
    this.#remember(() =>
      files.write({
        type: "decided",
        at: clock.now(),
        question: id,
        how: ending.how === "expired" && !ending.attended ? "unattended" : ending.how,
        allowed,
        ...decider,
        ...(outcome.outcome === "selected" ? { option: outcome.optionId } : {}),
        latencyMs,
      }),
    );
    const ids = { sessionId: files.id, question: id };
    if (decider) events.emit("question.answered", { ...ids, allowed, by: "rule", ...decider, latencyMs });
    else events.emit("question.expired", { ...ids, how: ending.how, latencyMs });
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

/** Who decided, or which rule; undefined: nobody did. */
function deciderOf(ending: Ending): { by: string } | { rule: string } | undefined {
  if (ending.how === "answered") return { by: ending.by };
  return ending.how === "rule" ? { rule: ending.rule } : undefined;
}

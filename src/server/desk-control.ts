import type { Call } from "../acp/agent-side.ts";
import { optionalString, requiredString } from "../acp/checks.ts";
import { invalidParams } from "../acp/errors.ts";
import { HallMethod } from "../acp/extensions.ts";
import type { Client } from "../hall/client.ts";
import type { Hall } from "../hall/hall.ts";
import { questionLog } from "../hall/question-log.ts";
import { consent, type Question } from "../permission/question.ts";

/** Control methods about what agents ask. */
export class DeskControl {
  readonly #hall: () => Hall;

  constructor(hall: () => Hall) {
    this.#hall = hall;
  }

  /** Undefined: there is no such method. What is made throws what is wrong with the call. */
  answerTo({ method, params }: Call, client: Client): (() => object) | undefined {
    switch (method) {
      case HallMethod.questions:
        return () => ({ questions: this.#questions(optionalString(params, "sessionId")) });
      case HallMethod.answerQuestion:
        return () => this.#answer(requiredString(params, "question"), params.allow, client.title);
      case HallMethod.permissionRules:
        return () => ({ rules: this.#rules(requiredString(params, "sessionId"), params.remove) });
      case HallMethod.permissionLog:
        return () => ({
          questions: questionLog(this.#session(requiredString(params, "sessionId")).files.entries()),
        });
      default:
        return undefined;
    }
  }

  #questions(sessionId: string | undefined): object[] {
    const id = sessionId === undefined ? undefined : this.#session(sessionId).id;
    return [...this.#hall().desk.waiting(id)].map((question) => this.#told(question));
  }

  #told(question: Question): object {
    const { clock, desk } = this.#hall();
    const { id, sessionId, turn, toolCallId, title, kind, options, askedAt } = question;
    const { askees = [], timeout } = desk.standing(question) ?? {};
    return {
      question: id,
      sessionId,
      slot: this.#session(sessionId).slot.name,
      turn: turn ?? null,
      toolCallId: toolCallId ?? null,
      title: title ?? null,
      kind: kind ?? null,
      askedAt: new Date(askedAt).toISOString(),
      ageMs: clock.now() - askedAt,
      timeoutMs: timeout ?? null,
      /** Who has it before them. */
      asked: askees,
      canAllow: consent(options) !== undefined,
    };
  }

  #answer(id: string, allow: unknown, by: string): object {
    if (typeof allow !== "boolean") throw invalidParams('"allow" is required and must be true or false.');
    const outcome = this.#hall().desk.decide(id, allow, by);
    if (outcome === "gone")
      throw invalidParams(`No question ${id} waits: it was answered, taken back, or never asked.`, {
        question: id,
      });
    if (outcome === "not offered")
      throw invalidParams(`Question ${id} offers no way to allow it once; answer it in a client.`, {
        question: id,
      });
    return {};
  }

  #rules(id: string, remove: unknown): object[] {
    const session = this.#session(id);
    if (remove !== undefined && !(typeof remove === "number" && session.permissions.removeRule(remove)))
      throw invalidParams(`Session ${session.id} has no rule ${String(remove)}.`, { sessionId: session.id });
    return [...session.files.memory.rules].map(([rule, { rule: made, at, by }]) => ({
      rule,
      text: made.text,
      by,
      at: new Date(at).toISOString(),
    }));
  }

  #session(id: string) {
    return this.#hall().sessions.named(id);
  }
}

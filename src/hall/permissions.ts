import { type Fields, isFields } from "../acp/checks.ts";
import type { HookAnswer, HookQuestion } from "../permission/hook-question.ts";
import type { Law } from "../permission/judge.ts";
import type { Verdict } from "../permission/policy.ts";
import { CANCELLED, optionsOf } from "../permission/question.ts";
import type { Rule } from "../permission/rule.ts";
import { SeenCalls } from "../permission/seen-calls.ts";
import type { ToolCall } from "../permission/tool-call.ts";
import type { IncomingRequest } from "../wire/peer.ts";
import { HookQuestions } from "./hook-questions.ts";
import { Questions, type QuestionsParts } from "./questions.ts";
import type { Slot } from "./slot.ts";
import type { SessionTurn } from "./turns.ts";

export interface PermissionsParts extends Omit<QuestionsParts, "law" | "timeout"> {
  slot(): Slot;
  /** The turn that the agent has. */
  turn(): SessionTurn | undefined;
  /** An update of the hall's own, for all who look on. */
  tell(update: Fields): void;
}

/** What a session's agent may do: its questions and those of its hooks, and the rules that decide them. */
export class Permissions {
  readonly #parts: PermissionsParts;
  readonly #questions: Questions;
  readonly #hooks: HookQuestions;
  readonly #seen = new SeenCalls();

  constructor(parts: PermissionsParts) {
    const { clock, desk, judge, events, files, nextId, askees, turn, tell, changed, noticed } = parts;
    this.#parts = parts;
    this.#questions = new Questions({
      clock,
      desk,
      judge,
      events,
      files,
      nextId,
      askees,
      law: () => this.#law,
      timeout: () => parts.slot().config.permissionTimeout,
      changed,
      noticed,
    });
    this.#hooks = new HookQuestions({
      files,
      judge,
      questions: this.#questions,
      seen: this.#seen,
      turn: () => (turn()?.cancelled ? undefined : turn()),
      tell,
      keepRule: (rule, question, by) => this.#keepRule(rule, question, by),
      noticed,
    });
  }

  get anyOpen(): boolean {
    return this.#questions.anyOpen;
  }

  /** The agent tells of a tool call. */
  see(update: Fields): void {
    this.#seen.see(update);
  }

  /** The agent's own question. `line`: the request as it goes to clients. */
  ask(request: IncomingRequest, params: Fields, line: Buffer): void {
    const turn = this.#parts.turn();
    if (turn?.cancelled) {
      request.reply({ outcome: CANCELLED });
      return;
    }
    const toolCall = isFields(params.toolCall) ? params.toolCall : {};
    const toolCallId = typeof toolCall.toolCallId === "string" ? toolCall.toolCallId : undefined;
    const { call, title } = this.#seen.see(toolCall);
    if (toolCallId !== undefined) turn?.toolCalls.mention(toolCallId);
    this.#questions.ask({
      asker: request,
      via: "agent",
      call,
      toolCallId,
      title,
      options: optionsOf(params),
      line,
      turn: turn?.id,
      answer: (outcome) => request.reply({ outcome }),
    });
  }

  /** A hook of the agent's asks, by the per-run socket. */
  hookAsks(question: HookQuestion, asker: object, answer: (answer: HookAnswer) => void): void {
    this.#hooks.ask(question, asker, answer);
  }

  hookGone(asker: object): void {
    this.#hooks.withdrawn(asker);
  }

  /** The agent takes a question back. */
  withdrawn(request: IncomingRequest): void {
    this.#questions.withdrawn(request);
  }

  /** The turn was cancelled or is over, or the agent is gone: nothing that it asked matters any more. */
  settle(why: "cancelled" | "over"): void {
    this.#questions.withdrawAll();
    if (why === "over") this.#seen.clear();
  }

  /** Does what the agent wants done for it, unless a rule denies that: then `denied` gets the sentence that says so. */
  guard(call: ToolCall, allowed: () => void, denied: (why: string) => void): void {
    const judged = ({ decision, why }: Verdict): void => {
      if (decision === "deny") denied(why);
      else allowed();
    };
    const verdict = this.#parts.judge.verdictOn(call, this.#law);
    if (verdict instanceof Promise) void verdict.then(judged);
    else judged(verdict);
  }

  /** A rule that a person made for this session is taken away. False: it has none of this number. */
  removeRule(rule: number): boolean {
    const { clock, files } = this.#parts;
    if (!files.memory.rules.has(rule)) return false;
    files.write({ type: "unruled", at: clock.now(), rule });
    return true;
  }

  get #law(): Law {
    const { files, slot } = this.#parts;
    const { cwd, rules } = files.memory;
    return {
      roster: slot().config.permissionRules,
      session: [...rules.values()].map(({ rule }) => rule),
      cwd,
    };
  }

  #keepRule(rule: Rule, question: string, by: string): void {
    const { clock, files } = this.#parts;
    const patterns = rule.patterns.map(({ source }) => source);
    files.write({
      type: "ruled",
      at: clock.now(),
      rule: files.memory.lastRule + 1,
      patterns,
      question,
      by,
    });
  }
}

import { randomUUID } from "node:crypto";
import type { Fields } from "../acp/checks.ts";
import { explain } from "../permission/explanation.ts";
import { type HookAnswer, type HookQuestion, refusedUnasked } from "../permission/hook-question.ts";
import type { Judge } from "../permission/judge.ts";
import { allows, type Ending, type Outcome } from "../permission/question.ts";
import type { Rule } from "../permission/rule.ts";
import type { SeenCalls } from "../permission/seen-calls.ts";
import { readToolCall } from "../permission/tool-call.ts";
import { permissionRequest } from "./lines-of-ours.ts";
import type { Questions } from "./questions.ts";
import type { SessionFiles } from "./session-files.ts";
import type { SessionTurn } from "./turns.ts";

export interface HookQuestionsParts {
  files: SessionFiles;
  judge: Judge;
  questions: Questions;
  seen: SeenCalls;
  /** The turn that runs and was not cancelled. */
  turn(): SessionTurn | undefined;
  /** An update of the hall's own, for all who look on. */
  tell(update: Fields): void;
  /** A person allowed more of the same. Throws when that cannot be kept. */
  keepRule(rule: Rule, question: string, by: string): void;
  noticed(what: string, detail?: unknown): void;
}

const ALWAYS = "allow_always";

/** Questions of the agent's hooks, which speak no ACP: each becomes one that clients know, of the turn that runs. */
export class HookQuestions {
  readonly #parts: HookQuestionsParts;
  /** Askers whose question is being made. */
  readonly #preparing = new Set<object>();

  constructor(parts: HookQuestionsParts) {
    this.#parts = parts;
  }

  ask(question: HookQuestion, asker: object, answer: (answer: HookAnswer) => void): void {
    const turn = this.#parts.turn();
    if (!turn) {
      answer(refusedUnasked("No turn runs in this session, so there is nobody to ask."));
      return;
    }
    this.#preparing.add(asker);
    this.#offer(question)
      .then((rule) => {
        const isWanted = this.#preparing.delete(asker);
        if (!isWanted) return;
        if (this.#parts.turn() === turn) this.#put(question, rule, turn, asker, answer);
        else answer(refusedUnasked(explain(false, { how: "withdrawn" })));
      })
      .catch((error: unknown) => {
        this.#parts.noticed("a hook's question met a defect", error);
        answer(refusedUnasked("The hall could not ask this; its log says why."));
      });
  }

  /** Whoever asked is gone. */
  withdrawn(asker: object): void {
    if (!this.#preparing.delete(asker)) this.#parts.questions.withdrawn(asker);
  }

  /** The rule by which a person may allow more of the same. Without one it is only allowed once. */
  async #offer(question: HookQuestion): Promise<Rule | undefined> {
    const { judge, files, noticed } = this.#parts;
    try {
      return await judge.ruleFor(readToolCall(described(question)), files.memory.cwd);
    } catch (error) {
      noticed("no rule could be made for a question", error);
      return undefined;
    }
  }

  #put(
    question: HookQuestion,
    rule: Rule | undefined,
    turn: SessionTurn,
    asker: object,
    answer: (answer: HookAnswer) => void,
  ): void {
    const { seen, files, questions } = this.#parts;
    const { toolCallId: named } = question;
    const known = named !== undefined && seen.has(named);
    const toolCallId = known ? named : `hall_${randomUUID()}`;
    const toolCall = { toolCallId, ...described(question) };
    if (!known) this.#announce(question, toolCall, turn);
    const options = optionsFor(rule);
    questions.ask({
      asker,
      via: "socket",
      call: known ? seen.see(toolCall).call : readToolCall(toolCall),
      toolCallId,
      title: question.title,
      options,
      line: permissionRequest(files.id, toolCall, options),
      turn: turn.id,
      patience: question.timeout,
      answer: (outcome, ending) => {
        const allowed = allows(outcome, options);
        if (!known) this.#over(toolCallId, allowed, turn);
        const isKept = allowed && this.#keep(rule, outcome, ending, toolCallId);
        answer({
          decision: allowed ? "allow" : "deny",
          scope: isKept ? "session" : "once",
          message: explain(allowed, ending),
        });
      },
    });
  }

  #announce({ reason }: HookQuestion, toolCall: Fields, turn: SessionTurn): void {
    const content =
      reason === undefined ? [] : [{ type: "content", content: { type: "text", text: reason } }];
    this.#tell({ sessionUpdate: "tool_call", ...toolCall, content }, turn);
  }

  #over(toolCallId: string, allowed: boolean, turn: SessionTurn): void {
    const status = allowed ? "completed" : "failed";
    this.#tell({ sessionUpdate: "tool_call_update", toolCallId, status }, turn);
  }

  /** As if its agent had told it: what is open when the turn ends is closed with it. */
  #tell(update: Fields & { sessionUpdate: string }, turn: SessionTurn): void {
    turn.toolCalls.see(update.sessionUpdate, update);
    this.#parts.tell(update);
  }

  /** True: from now on the rule decides. */
  #keep(rule: Rule | undefined, outcome: Outcome, ending: Ending, question: string): boolean {
    if (!rule || outcome.outcome !== "selected" || outcome.optionId !== ALWAYS) return false;
    try {
      this.#parts.keepRule(rule, question, ending.how === "answered" ? ending.by : ending.how);
      return true;
    } catch (error) {
      this.#parts.noticed("a rule of a session could not be kept: it was allowed once", error);
      return false;
    }
  }
}

/** The tool call that a hook's question is about, but for its id. */
const described = ({ tool, title, kind, input }: HookQuestion): Fields => ({
  title,
  name: tool,
  kind,
  status: "pending",
  ...(input === undefined ? {} : { rawInput: input }),
});

const optionsFor = (rule: Rule | undefined) => [
  { optionId: "allow_once", name: "Allow once", kind: "allow_once" },
  ...(rule
    ? [
        {
          optionId: ALWAYS,
          name: `Allow for this session: ${rule.patterns.map(({ source }) => source).join(" or ")}`,
          kind: ALWAYS,
        },
      ]
    : []),
  { optionId: "reject_once", name: "Reject", kind: "reject_once" },
];

import { fieldsOf, isFields } from "../acp/checks.ts";
import { isToolKind, TOOL_KINDS } from "../acp/tool-kinds.ts";
import { CANCELLED, refusal } from "../permission/question.ts";
import type { IncomingRequest } from "../wire/peer.ts";
import { type Choice, choicesOf, isRefusal } from "./choices.ts";
import type { TerminalQuestions } from "./terminal-questions.ts";
import type { ToolCall, ToolCalls } from "./tool-calls.ts";
import { UsageError } from "./usage.ts";

/** The kinds that `--allow` names, parted by commas. Throws a UsageError. */
export function allowedKinds(written: string | undefined): ReadonlySet<string> {
  const kinds = (written ?? "").split(",").map((kind) => kind.trim());
  const named = kinds.filter((kind) => kind !== "");
  const unknown = named.find((kind) => !isToolKind(kind));
  if (unknown !== undefined)
    throw new UsageError(
      `--allow ${unknown}: there is no such kind of tool; there are ${TOOL_KINDS.join(", ")}.`,
    );
  return new Set(named);
}

/** A question that was answered with no. */
export interface Refused {
  toolCallId: string;
  title: string;
  kind: string;
}

export interface AnswersParts {
  calls: ToolCalls;
  /** Kinds of tools that are allowed without asking. */
  allowed: ReadonlySet<string>;
  /** Where a person is asked; undefined: there is none, and the answer is no. */
  terminal: TerminalQuestions | undefined;
  /** Says how a question was answered that nobody was asked. */
  note(what: "allowed" | "refused", call: ToolCall): void;
}

/** How this command answers an agent's permission questions. Nothing is allowed that nobody allowed. */
export class Answers {
  readonly refused: Refused[] = [];
  readonly #parts: AnswersParts;
  readonly #open = new Map<IncomingRequest, () => void>();

  constructor(parts: AnswersParts) {
    this.#parts = parts;
  }

  /** `isOurs`: the question is one of our turn. Another's is only shown to a person. */
  take(request: IncomingRequest, isOurs: boolean): void {
    const { calls, allowed, terminal, note } = this.#parts;
    const params = fieldsOf(request.params);
    const call = isFields(params.toolCall) ? calls.see(params.toolCall) : undefined;
    const choices = choicesOf(params);
    if (!call) {
      request.reply({ outcome: refusal(choices) });
      return;
    }
    const once = choices.find(({ kind }) => kind === "allow_once");
    if (isOurs && once && allowed.has(call.kind)) {
      note("allowed", call);
      select(request, once);
    } else if (terminal && choices.length > 0) {
      const takeBack = terminal.ask(call, choices, (choice) => {
        this.#open.delete(request);
        if (isOurs && isRefusal(choice)) this.#refuse(call);
        select(request, choice);
      });
      this.#open.set(request, takeBack);
    } else if (isOurs) {
      note("refused", call);
      this.#refuse(call);
      request.reply({ outcome: refusal(choices) });
    }
  }

  /** The hall does not need the answer any more. */
  withdrawn(request: IncomingRequest): void {
    this.#open.get(request)?.();
    this.#open.delete(request);
    request.reply({ outcome: CANCELLED });
  }

  /** The turn is over: what is still asked is taken back. */
  end(): void {
    for (const takeBack of this.#open.values()) takeBack();
    this.#open.clear();
  }

  #refuse({ id: toolCallId, title, kind }: ToolCall): void {
    this.refused.push({ toolCallId, title, kind });
  }
}

const select = (request: IncomingRequest, { optionId }: Choice): void =>
  request.reply({ outcome: { outcome: "selected", optionId } });

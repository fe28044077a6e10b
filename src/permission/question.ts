import { type Fields, isFields } from "../acp/checks.ts";

/** What an agent is told: ACP's outcome of a permission question. */
export type Outcome = { outcome: "selected"; optionId: string } | { outcome: "cancelled" };

export const CANCELLED: Outcome = { outcome: "cancelled" };

/** How a question ended, for the record and for whoever watches. */
export type Ending =
  | { how: "answered"; by: string }
  /** `rule`: as it is written. `why`: a sentence for people. */
  | { how: "rule"; rule: string; why: string }
  /** `attended`: somebody was asked meanwhile, and did not answer. */
  | { how: "expired"; attended: boolean }
  /** Too many questions wait already. */
  | { how: "crowded" }
  /** Somebody was asked, and nobody who is there can answer. */
  | { how: "unanswerable" }
  /** The turn was cancelled or over, or the agent took the question back. */
  | { how: "withdrawn" };

export interface Option {
  optionId: string;
  kind: string;
}

/** A permission question that waits for an answer. */
export interface Question {
  /** Unique in this hall. */
  id: string;
  sessionId: string;
  /** The turn that it belongs to, if one runs. */
  turn: string | undefined;
  toolCallId: string | undefined;
  title: string | undefined;
  /** ACP's tool kind, as far as it is known. */
  kind: string | undefined;
  options: readonly Option[];
  /** The request as it goes to whoever is asked; only its id is exchanged. */
  line: Buffer;
  /** Milliseconds since the epoch. */
  askedAt: number;
}

/** The options of a `session/request_permission`; an entry that is none is skipped. */
export function optionsOf(params: Fields): Option[] {
  const offered = Array.isArray(params.options) ? params.options : [];
  return offered.flatMap((option: unknown) => {
    if (!isFields(option) || typeof option.optionId !== "string") return [];
    return [{ optionId: option.optionId, kind: typeof option.kind === "string" ? option.kind : "" }];
  });
}

/** Yes, this once, with the option that was offered for it; undefined when none was. */
export function consent(options: readonly Option[]): Outcome | undefined {
  const allow = options.find((option) => option.kind === "allow_once" && isUnambiguous(option, options));
  return allow && { outcome: "selected", optionId: allow.optionId };
}

/** No: with the option that the agent offered for it, so that it goes on; only without one, `cancelled`. */
export function refusal(options: readonly Option[]): Outcome {
  const reject = options.find((option) => option.kind === "reject_once" && isUnambiguous(option, options));
  return reject ? { outcome: "selected", optionId: reject.optionId } : CANCELLED;
}

/**
 * What a client's answer means. Only the choice of an option that was offered counts as that choice;
 * everything else, however it came about, is a refusal.
 */
export function outcomeOf(result: unknown, options: readonly Option[]): Outcome {
  const outcome = isFields(result) && isFields(result.outcome) ? result.outcome : {};
  const chosen = options.find((option) => option.optionId === outcome.optionId);
  const counts = outcome.outcome === "selected" && chosen && isUnambiguous(chosen, options);
  return counts ? { outcome: "selected", optionId: chosen.optionId } : refusal(options);
}

export const allows = (outcome: Outcome, options: readonly Option[]): boolean =>
  outcome.outcome === "selected" &&
  options.some(
    (option) =>
      option.optionId === outcome.optionId && ALLOWING.has(option.kind) && isUnambiguous(option, options),
  );

const ALLOWING: ReadonlySet<string> = new Set(["allow_once", "allow_always"]);

/** An id that was offered for a yes and for a no says neither. */
const isUnambiguous = ({ optionId, kind }: Option, options: readonly Option[]): boolean =>
  options.every((other) => other.optionId !== optionId || other.kind === kind);

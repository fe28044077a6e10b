import { type Fields, isFields } from "../acp/checks.ts";
import { consent, type Outcome, optionsOf, refusal } from "../permission/question.ts";

/** How a permission question is answered; undefined: it is left open. */
export type Answering = (question: Fields) => Outcome | undefined;

export const refuse: Answering = (question) => refusal(optionsOf(question));

export const leaveOpen: Answering = () => undefined;

/** The id of an option that no agent offers. */
export const UNKNOWN_OPTION = "hall-try-was-never-offered";

/** The first question gets an answer that it does not offer, the others a no. */
export function answerUnknown(): Answering {
  let first = true;
  return (question) => {
    if (!first) return refuse(question);
    first = false;
    return { outcome: "selected", optionId: UNKNOWN_OPTION };
  };
}

/** A shell around it at most, and nothing beside it. */
const THE_COMMAND = /^(?:\S*sh -l?c )?['"`]?timeout \d+ tail -f \/dev\/null['"`]?$/;

/** Yes to the one command that the trial itself asked for, no to everything else. */
export const allowTheCommand: Answering = (question) => {
  const call = isFields(question.toolCall) ? question.toolCall : {};
  const { command } = isFields(call.rawInput) ? call.rawInput : {};
  const told = command ?? call.title;
  const text = Array.isArray(told) ? told.join(" ") : String(told);
  return (THE_COMMAND.test(text) ? consent(optionsOf(question)) : undefined) ?? refuse(question);
};

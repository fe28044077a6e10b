import type { Ending } from "./question.ts";

/** What a model is told of how its question ended: who decided, or that nobody did. */
export function explain(allowed: boolean, ending: Ending): string {
  switch (ending.how) {
    case "answered":
      return allowed
        ? `${ending.by} allowed it.`
        : `${ending.by} refused it. Do not try it again in another way; ask what to do instead, or go on without.`;
    case "rule":
      return ending.why;
    case "expired":
      return ending.attended
        ? "Nobody answered in time, so it was not allowed. Nobody refused it either: it may be asked again later."
        : "Nobody was there to answer, so it was not allowed. Nobody refused it: it may be asked again when somebody is.";
    case "crowded":
      return "Too many questions of this session wait already. Nobody refused this one: it may be asked again later.";
    case "unanswerable":
      return "No client that is there can answer questions, so it was not allowed. Nobody refused it.";
    case "withdrawn":
      return "The question was taken back: its turn was cancelled, or is over.";
  }
}

import { isFields } from "../../acp/checks.ts";
import { ClientMethod } from "../../acp/methods.ts";
import { optionsOf } from "../../permission/question.ts";
import { UNKNOWN_OPTION } from "../answering.ts";
import { type Check, deviates, noted, notTried, ok } from "../judgement.ts";
import type { Call, Recording } from "../recording.ts";
import { turnsOf } from "../turn.ts";
import { updateIn } from "../update.ts";
import { count, few, inWords } from "../wording.ts";

const KINDS: ReadonlySet<string> = new Set(["allow_once", "allow_always", "reject_once", "reject_always"]);

const questionsIn = (recording: Recording, scene?: "refuse" | "unknown-option"): Call[] =>
  recording.called(ClientMethod.requestPermission, scene);

export const asks: Check = {
  id: "question",
  title: "asks before it runs a command",
  expected: "a session/request_permission, unless its mode says otherwise",
  judge(recording) {
    const [turn] = turnsOf(recording, "refuse");
    if (!turn) return notTried(recording.skipped("refuse") ?? "no prompt was sent");
    if (questionsIn(recording, "refuse").length > 0) return ok("asked");
    const used = turn.updates.some(({ kind }) => kind === "tool_call" || kind === "tool_call_update");
    if (!used) return notTried("it ran no command");
    return noted(
      "used a tool, and asked nothing",
      "The rules and questions of the hall never see it: what it does is decided by the agent alone.",
      "Send session/request_permission first, or choose a mode that asks; hall permit can be a hook where there is one.",
    );
  },
};

export const options: Check = {
  id: "question-options",
  title: "offers answers to choose from",
  expected: "options with an id each, of ACP's kinds, a reject_once among them",
  judge(recording) {
    const questions = questionsIn(recording);
    if (questions.length === 0) return notTried("it asked nothing");
    for (const { params } of questions) {
      const offered = optionsOf(params);
      const ids = new Set(offered.map(({ optionId }) => optionId));
      const unknown = offered.filter(({ kind }) => !KINDS.has(kind)).map(({ kind }) => JSON.stringify(kind));
      const hall = "The hall takes what it can tell: without a clear yes, the answer is no.";
      if (offered.length === 0)
        return deviates("offered none", hall, "Give options: allow_once and reject_once at least.");
      if (ids.size < offered.length)
        return deviates("offered one id twice", hall, "Give each option an id of its own.");
      if (unknown.length > 0)
        return deviates(
          `offered kinds that ACP has not: ${few(unknown)}`,
          hall,
          `Use ${[...KINDS].join(", ")}.`,
        );
      if (!offered.some(({ kind }) => kind === "reject_once"))
        return noted(
          "offered no reject_once",
          "The hall refuses by the outcome cancelled, for which many agents give up the turn.",
          "Offer an option of the kind reject_once.",
        );
    }
    return ok(
      few([...new Set(questions.flatMap(({ params }) => optionsOf(params).map(({ kind }) => kind)))], 4),
    );
  },
};

export const refused: Check = {
  id: "question-refused",
  title: "takes a no",
  expected: "what was refused is not done, and the turn is answered",
  judge(recording) {
    const [question] = questionsIn(recording, "refuse");
    const [turn] = turnsOf(recording, "refuse");
    if (!turn || !question) return notTried(recording.skipped("refuse") ?? "it asked nothing");
    if (hasRun(recording, question))
      return deviates(
        "ran what was refused",
        "No hall can keep it from that.",
        "Do nothing before the answer is there, and only what was chosen.",
      );
    if (!turn.reply || turn.cancelled)
      return deviates(
        "did not end its turn",
        "The turn goes on until somebody cancels it.",
        "Go on without the tool, and answer the prompt.",
      );
    if (turn.reply.error)
      return noted(
        `answered the error ${inWords(turn.reply.error)}`,
        "The client gets that error.",
        "A no is an answer like any other: end the turn with a stop reason.",
      );
    if (turn.stopReason === "cancelled")
      return noted(
        "ended the turn as cancelled",
        "The client hears that the turn was cancelled, though nobody cancelled it.",
        "Tell the model of the no, and let it go on; cancelled is for session/cancel.",
      );
    return ok(`did not do it, and ended with ${String(turn.stopReason)}`);
  },
};

export const unknownOption: Check = {
  id: "question-unknown",
  title: "gets an answer that it did not offer",
  expected: "takes it for a no: an option id that nobody offered allows nothing",
  judge(recording) {
    const question = questionsIn(recording, "unknown-option").find(
      ({ answer }) => isFields(answer.outcome) && answer.outcome.optionId === UNKNOWN_OPTION,
    );
    const [turn] = turnsOf(recording, "unknown-option");
    if (!question || !turn)
      return notTried(recording.skipped("unknown-option") ?? "it asked nothing this time");
    const hall = "The hall never passes such an answer on: it makes a refusal of it.";
    const advice = "Compare the id with those that you offered; everything that is no clear yes is a no.";
    if (hasRun(recording, question)) return deviates("took it for a yes", hall, advice);
    if (!turn.reply || turn.cancelled) return deviates("did not end its turn", hall, advice);
    return ok(
      turn.reply.error ? `answered ${inWords(turn.reply.error)}` : `ended with ${String(turn.stopReason)}`,
    );
  },
};

/** Whether the call that the question was about has run, or runs, after the answer. */
function hasRun(recording: Recording, { params, answered }: Call): boolean {
  const call = isFields(params.toolCall) ? params.toolCall : {};
  if (!answered) return false;
  return recording.between(answered).some((entry) => {
    const update = updateIn(entry);
    if (update?.kind !== "tool_call_update" || update.sessionId !== params.sessionId) return false;
    const { fields } = update;
    if (fields.toolCallId !== call.toolCallId) return false;
    return fields.status === "completed" || fields.status === "in_progress";
  });
}

export const named: Check = {
  id: "question-call",
  title: "says what a question is about",
  expected: "toolCall with the id of the call, in a session in which a turn runs",
  judge(recording) {
    const questions = questionsIn(recording);
    if (questions.length === 0) return notTried("it asked nothing");
    const nameless = questions.filter(
      ({ params }) => !isFields(params.toolCall) || typeof params.toolCall.toolCallId !== "string",
    );
    if (nameless.length === 0) return ok(count(questions.length, "question"));
    return deviates(
      `${count(nameless.length, "question")} without it`,
      "The hall asks all the same; a person sees a question about nothing.",
      "Put toolCall with toolCallId, title, kind and rawInput into the question.",
    );
  },
};

export const questions: readonly Check[] = [asks, named, options, refused, unknownOption];

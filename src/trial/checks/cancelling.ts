import { type Check, deviates, noted, notTried, ok } from "../judgement.ts";
import type { Turn } from "../turn.ts";
import { turnsOf } from "../turn.ts";
import { count, few, inWords, quoted, span } from "../wording.ts";

const LADDER =
  "The hall cancels at once, then climbs the ladder (SIGINT, SIGTERM, SIGKILL), answers the client cancelled, and restores the session in a new process.";

export const cancel: Check = {
  id: "cancel",
  title: "is cancelled in the middle of a turn",
  expected: "the stop reason cancelled, soon",
  judge(recording) {
    const [turn] = turnsOf(recording, "cancel");
    if (!turn) return notTried(recording.skipped("cancel") ?? "no prompt was sent");
    if (!turn.cancelled) return notTried("its turn ended before it could be cancelled (--long-prompt)");
    return (
      judged(turn) ?? ok(`cancelled after ${span(turn.reply ? turn.reply.entry.at - turn.cancelled.at : 0)}`)
    );
  },
};

/** What is wrong with how a cancelled turn ended. */
function judged({ reply, cancelled, stopReason }: Turn) {
  const advice =
    "On session/cancel abort the model and the tools, catch what they throw, and answer the prompt with the stop reason cancelled.";
  if (!reply) return deviates("did not answer", LADDER, advice);
  const took = span(reply.entry.at - (cancelled?.at ?? reply.entry.at));
  const hall = "The hall answers cancelled itself, whatever the agent says.";
  if (reply.error) return deviates(`answered the error ${inWords(reply.error)} after ${took}`, hall, advice);
  if (stopReason !== "cancelled")
    return deviates(`ended with ${String(stopReason)} after ${took}`, hall, advice);
  return undefined;
}

export const idle: Check = {
  id: "cancel-idle",
  title: "gets a cancel when nothing runs",
  expected: "nothing comes of it: the next turn runs as any other",
  judge(recording) {
    const [turn] = turnsOf(recording, "cancel");
    if (!turn) return notTried(recording.skipped("cancel") ?? "no prompt was sent");
    if (turn.cancelled || turn.stopReason !== "cancelled") return ok("the next turn ran");
    return deviates(
      "cancelled the turn that came after it",
      "The hall sends no cancel when nothing runs; one may cross the end of a turn all the same.",
      "Let session/cancel reach the turn that runs now, and keep nothing of it for later.",
    );
  },
};

export const question: Check = {
  id: "cancel-question",
  title: "is cancelled while its question is open",
  expected: "the stop reason cancelled, at the latest when the client has taken the question back",
  judge(recording) {
    const [turn] = turnsOf(recording, "cancel-question");
    if (!turn?.cancelled)
      return notTried(recording.skipped("cancel-question") ?? "it asked nothing this time");
    const wrong = judged(turn);
    if (wrong) return wrong;
    const waited = recording
      .between(turn.cancelled, turn.reply?.entry)
      .some((entry) => entry.kind === "sent" && entry.message.method === undefined);
    return ok(waited ? "once its question was answered" : "without waiting for an answer");
  },
};

export const tools: Check = {
  id: "cancel-tools",
  title: "ends its command when it is cancelled",
  expected: "the stop reason cancelled, and the command is gone with the turn",
  judge(recording) {
    const [turn] = turnsOf(recording, "command");
    const skipped = recording.skipped("command");
    if (!turn || skipped !== undefined) return notTried(skipped ?? "no prompt was sent");
    if (!turn.cancelled) return notTried("its turn ended before it could be cancelled");
    const wrong = judged(turn);
    if (wrong) return wrong;
    const left = recording.of("looked", "command")[0]?.left;
    if (!left || left.length === 0) return ok("the command was gone");
    return noted(
      `left ${count(left.length, "process")} running: ${few(left.map(quoted), 2)}`.replace(
        /processs/,
        "processes",
      ),
      "They run on, unless the slot says cancel_tools: true: then the hall ends what the turn started.",
      "Start commands in a process group of their own, and end that group on session/cancel.",
    );
  },
};

export const cancelling: readonly Check[] = [idle, cancel, question, tools];

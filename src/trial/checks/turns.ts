import { Code } from "../../acp/errors.ts";
import { AgentMethod } from "../../acp/methods.ts";
import { type Check, deviates, noted, notTried, ok } from "../judgement.ts";
import type { Recording } from "../recording.ts";
import { type Turn, turnsOf } from "../turn.ts";
import { isHistory, type Update, updatesOf } from "../update.ts";
import { count, few, inWords, span } from "../wording.ts";

const STOP_REASONS: ReadonlySet<unknown> = new Set([
  "end_turn",
  "max_tokens",
  "max_turn_requests",
  "refusal",
  "cancelled",
]);

/** Answers of a turn that came this close together, in ms, came at once. */
const AT_ONCE_MS = 100;

export const turn: Check = {
  id: "turn",
  title: "answers a prompt",
  expected: "one of ACP's stop reasons when the turn is over",
  judge(recording) {
    const [first] = turnsOf(recording, "talk");
    if (!first) return notTried(recording.skipped("talk") ?? "no prompt was sent");
    const { reply, stopReason } = first;
    if (!reply)
      return deviates(
        "did not answer",
        "The hall waits (turn_timeout ends a turn in which the agent is silent); a cancel ends it by force.",
        "Answer session/prompt once its turn is over, however it went.",
      );
    if (reply.error?.code === Code.authRequired)
      return notTried(`it wants a login first: ${inWords(reply.error)}`);
    if (reply.error)
      return noted(
        `answered the error ${inWords(reply.error)}`,
        "The client gets that error.",
        "It may be the model's provider, or the prompt (--prompt); what follows is worth less.",
      );
    if (reply.malformed) return notTried("its answer is none");
    if (!STOP_REASONS.has(stopReason))
      return deviates(
        `ended with ${JSON.stringify(stopReason) ?? "no stopReason"}`,
        "The client gets it as it is, and may not know it.",
        `Answer one of ${[...STOP_REASONS].join(", ")}.`,
      );
    return ok(`${String(stopReason)} after ${span(reply.took)}`);
  },
};

export const turnSays: Check = {
  id: "turn-says",
  title: "says something in a turn",
  expected: "a turn that ends well has words in it; one that failed is an error",
  judge(recording) {
    const [first] = turnsOf(recording, "talk");
    if (!first?.reply || first.reply.error)
      return notTried(recording.skipped("talk") ?? "no turn ended well");
    if (first.updates.some(({ kind }) => isHistory(kind))) return ok(count(first.updates.length, "update"));
    return noted(
      "ended its turn without a word",
      "The client sees a turn that went well, and nothing in it.",
      "Answer with an error when the model or its provider failed: it would look like this.",
    );
  },
};

export const late: Check = {
  id: "turn-late",
  title: "says all of a turn before its answer",
  expected:
    "after the answer nothing of that turn comes; commands, modes, titles and usage may come at any time",
  judge(recording) {
    if (turnsOf(recording).every(({ reply }) => !reply)) return notTried("no turn was answered");
    const updates = lateUpdates(recording);
    if (updates.length === 0) return ok("nothing came after an answer");
    return deviates(
      `${count(updates.length, "update")} after the answer: ${few([...new Set(updates.map(({ kind }) => kind))])}`,
      "The hall records and shows them, outside of any turn; a client that has ended the turn may drop them.",
      "Await everything that sends updates before you answer session/prompt.",
    );
  },
};

/** History of sessions in which a turn was answered and none runs. */
function lateUpdates(recording: Recording): Update[] {
  const turns = turnsOf(recording).filter(({ reply }) => reply !== undefined);
  return updatesOf(recording).filter(({ entry, sessionId, kind }) => {
    if (!isHistory(kind)) return false;
    const ofSession = turns.filter(
      (one) => one.params.sessionId === sessionId && one.sent.process === entry.process,
    );
    const isIn = ({ sent, reply }: Turn): boolean =>
      recording.isAfter(entry, sent) && !(reply && recording.isAfter(entry, reply.entry));
    const isBehind = ({ reply }: Turn): boolean =>
      reply !== undefined && recording.isAfter(entry, reply.entry);
    return ofSession.some(isBehind) && !allTurns(recording, entry.process).some(isIn);
  });
}

const allTurns = (recording: Recording, process: number): Turn[] =>
  turnsOf(recording).filter(({ sent }) => sent.process === process);

export const second: Check = {
  id: "turn-second",
  title: "gets a second prompt while a turn runs",
  expected: "refuses it with an error, or runs it after the first: both are answered",
  judge(recording) {
    const [first, next] = turnsOf(recording, "overlap");
    if (!first || !next) return notTried(recording.skipped("overlap") ?? "no second prompt was sent");
    const hall = "A hall never sends it two at once: the second waits in its queue.";
    const advice = "Answer a second prompt with an error, or keep it until the first is answered.";
    if (!first.reply) return notTried("its first turn did not end, so there is no telling");
    if (recording.of("exited", "overlap").some(({ asked }) => !asked)) return notTried("it ended by itself");
    if (!next.reply) return deviates("never answered the second", hall, advice);
    if (next.reply.error) return ok(`refused it: ${inWords(next.reply.error)}`);
    if (!first.cancelled && first.stopReason === "cancelled")
      return noted("cancelled the first turn for it", hall, advice);
    const apart = Math.abs(first.reply.entry.at - next.reply.entry.at);
    const isJoined = !first.cancelled && apart <= AT_ONCE_MS && first.reply.error === undefined;
    if (isJoined) return noted("answered both at once: one turn for two prompts", hall, advice);
    return ok(first.cancelled ? "kept it until the first was over" : "ended the first, then ran the second");
  },
};

export const close: Check = {
  id: "session-close",
  title: "closes a session",
  expected: "a result, if it advertises sessionCapabilities.close",
  judge(recording) {
    const [asked] = recording.asked(AgentMethod.closeSession);
    if (!asked) return notTried(recording.skipped("close") ?? "it does not offer it");
    const { reply } = asked;
    if (reply && !reply.error && !reply.malformed) return ok("closed it");
    return deviates(
      reply?.error ? `answered ${inWords(reply.error)}` : "did not answer",
      "The hall ends the process with the session; one that several sessions share (isolation: slot) keeps it.",
      "Answer session/close with {}, or do not advertise it.",
    );
  },
};

export const list: Check = {
  id: "session-list",
  title: "lists its sessions",
  expected: "a result with sessions, if it advertises sessionCapabilities.list",
  judge(recording) {
    const [asked] = recording.asked(AgentMethod.listSessions);
    if (!asked) return notTried("it does not offer it, or no turn ran");
    const { reply } = asked;
    if (reply && Array.isArray(reply.result.sessions))
      return ok(count(reply.result.sessions.length, "session"));
    return deviates(
      reply?.error ? `answered ${inWords(reply.error)}` : "gave none",
      "A hall lists sessions itself, and never asks.",
      "Answer session/list with sessions, or do not advertise it.",
    );
  },
};

export const turns: readonly Check[] = [turn, turnSays, late, second, list, close];

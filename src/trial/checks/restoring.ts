import { Code } from "../../acp/errors.ts";
import { AgentMethod } from "../../acp/methods.ts";
import { type Check, deviates, notTried, ok } from "../judgement.ts";
import type { Asked, Recording } from "../recording.ts";
import { isHistory, type Update, updatesOf } from "../update.ts";
import { count, inWords, span } from "../wording.ts";

const NEXT_WAY =
  "When its process was gone, the hall tries the next way: load, then a transcript of the session in the first prompt.";

export const load: Check = {
  id: "load",
  title: "loads a session in a new process",
  expected:
    "the whole conversation again, the user's words too, then the answer; if it advertises loadSession",
  judge(recording) {
    const [asked] = recording.asked(AgentMethod.loadSession, "load");
    if (!asked) return notTried(recording.skipped("load") ?? "it does not offer it");
    const wrong = failed(asked, "loadSession");
    if (wrong) return wrong;
    const replayed = historyUntil(recording, asked);
    const advice =
      "Send each message of the session as session/update, with user_message_chunk for the user's, before you answer.";
    if (replayed.length === 0) return deviates("replayed nothing", NEXT_WAY, advice);
    if (!replayed.some(({ kind }) => kind === "user_message_chunk"))
      return deviates("replayed nothing of what the user said", NEXT_WAY, advice);
    const late = historyAfter(recording, asked);
    if (late.length > 0)
      return deviates(
        `replayed ${count(late.length, "update")} after its answer`,
        "The hall takes them for something new: they are shown again.",
        advice,
      );
    return ok(`${count(replayed.length, "update")} after ${span(asked.reply?.took ?? 0)}`);
  },
};

export const resume: Check = {
  id: "resume",
  title: "resumes a session in a new process",
  expected: "the answer, and nothing again; if it advertises sessionCapabilities.resume",
  judge(recording) {
    const [asked] = recording.asked(AgentMethod.resumeSession, "resume");
    if (!asked) return notTried(recording.skipped("resume") ?? "it does not offer it");
    const wrong = failed(asked, "sessionCapabilities.resume");
    if (wrong) return wrong;
    const again = [...historyUntil(recording, asked), ...historyAfter(recording, asked)];
    if (again.length > 0)
      return deviates(
        `replayed ${count(again.length, "update")}`,
        "The hall drops what comes before the answer; what comes after it is shown again.",
        "Replay in session/load alone.",
      );
    return ok(`after ${span(asked.reply?.took ?? 0)}`);
  },
};

function failed({ reply }: Asked, advertised: string) {
  const advice = `Make it work for sessions of earlier processes, or do not advertise ${advertised}.`;
  if (!reply) return deviates("did not answer", NEXT_WAY, advice);
  if (reply.error?.code === Code.methodNotFound)
    return deviates(`advertises it, and does not have it: ${inWords(reply.error)}`, NEXT_WAY, advice);
  if (reply.error) return deviates(`answered ${inWords(reply.error)}`, NEXT_WAY, advice);
  return reply.malformed ? deviates("answered with what is no answer", NEXT_WAY, advice) : undefined;
}

const historyOf = (recording: Recording, asked: Asked): Update[] =>
  updatesOf(recording).filter(
    ({ entry, sessionId, kind }) =>
      entry.process === asked.sent.process &&
      entry.scene === asked.sent.scene &&
      sessionId === asked.params.sessionId &&
      isHistory(kind),
  );

const historyUntil = (recording: Recording, asked: Asked): Update[] =>
  historyOf(recording, asked).filter(
    ({ entry }) => asked.reply === undefined || !recording.isAfter(entry, asked.reply.entry),
  );

const historyAfter = (recording: Recording, asked: Asked): Update[] =>
  historyOf(recording, asked).filter(
    ({ entry }) => asked.reply !== undefined && recording.isAfter(entry, asked.reply.entry),
  );

export const restoring: readonly Check[] = [load, resume];

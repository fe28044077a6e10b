import { isAbsolute } from "node:path";
import { Code } from "../../acp/errors.ts";
import { AgentMethod } from "../../acp/methods.ts";
import type { Fault, ResponseMessage } from "../../wire/message.ts";
import type { Entry } from "../entry.ts";
import { type Check, deviates, type Judgement, noted, notTried, ok } from "../judgement.ts";
import type { Asked, Recording } from "../recording.ts";
import { inWords, quoted } from "../wording.ts";

const UNKNOWN = "_hall.try/unknown";
const missing = (recording: Recording): string => recording.skipped("manners") ?? "it did not come to that";

export const unknownMethod: Check = {
  id: "unknown-method",
  title: "is asked for a method that nobody has",
  expected: `the error ${Code.methodNotFound}`,
  judge(recording) {
    const asked = recording.asked(UNKNOWN).find(({ id }) => typeof id === "number");
    if (!asked) return notTried(missing(recording));
    const hall = "The client gets what the agent answers; a request without an answer stays open.";
    const advice = `Answer a method that you do not know with the error ${Code.methodNotFound}.`;
    if (!asked.reply) return deviates("did not answer", hall, advice);
    if (!asked.reply.error) return deviates("answered with a result", hall, advice);
    if (asked.reply.error.code === Code.methodNotFound) return ok(`answered ${Code.methodNotFound}`);
    return noted(`answered ${inWords(asked.reply.error)}`, hall, advice);
  },
};

export const stringId: Check = {
  id: "string-id",
  title: "is asked under an id that is a text",
  expected: "the answer has the same id: both numbers and texts are ids",
  judge(recording) {
    const asked = recording.asked(UNKNOWN).find(({ id }) => typeof id === "string");
    if (!asked) return notTried(missing(recording));
    if (asked.reply) return ok("answered under it");
    return deviates(
      "did not answer under it",
      "The hall's own ids are numbers; a client without a hall may use texts.",
      "Give the id back as it came.",
    );
  },
};

export const unknownNotification: Check = {
  id: "unknown-notification",
  title: "is told what it does not know",
  expected: "silence: notifications are never answered",
  judge(recording) {
    const [told] = recording
      .of("sent", "manners")
      .filter(({ message }) => message.method === UNKNOWN && message.id === undefined);
    const [garbled] = recording.of("garbled", "manners");
    if (!told || !garbled) return notTried(missing(recording));
    const first = namelessAnswer(recording.between(told, garbled));
    if (first === undefined) return ok("said nothing");
    return deviates(`answered ${quoted(first)}`, "The hall drops the answer.", "Answer only what has an id.");
  },
};

export const badLine: Check = {
  id: "bad-line",
  title: "gets a line that is no JSON",
  expected: `goes on; an error ${Code.parse} with "id": null is welcome`,
  judge(recording) {
    const [garbled] = recording.of("garbled", "manners");
    if (!garbled) return notTried(missing(recording));
    const [after] = recording.asked("_hall.try/after");
    const hall = "The hall sends none; a client of your own may, one day.";
    const nameless = after?.reply && withoutId(recording.between(garbled));
    if (nameless !== undefined)
      return deviates(
        `answered without an id: ${quoted(nameless)}`,
        "The hall drops it.",
        'Say "id": null in an answer to what could not be read.',
      );
    if (after?.reply) return ok("goes on");
    const exit = recording.of("exited", "manners").find(({ process }) => process === garbled.process);
    const found = exit && !exit.asked ? "ended" : "answered nothing any more";
    return deviates(
      found,
      hall,
      `Catch what parsing throws; answer ${Code.parse} with "id": null, or nothing.`,
    );
  },
};

/** The line of an answer that names no request of ours: those have numbers here. */
const namelessAnswer = (entries: readonly Entry[]): string | undefined =>
  answersIn(entries).find(({ message }) => message.kind === "fault" || typeof message.id !== "number")?.line;

const withoutId = (entries: readonly Entry[]): string | undefined =>
  answersIn(entries).find(({ message }) => message.kind === "fault" && message.answers === undefined)?.line;

interface Answer {
  message: ResponseMessage | Fault;
  line: string;
}

function answersIn(entries: readonly Entry[]): Answer[] {
  return entries.flatMap((entry): Answer[] => {
    if (entry.kind !== "heard") return [];
    const { message, line } = entry;
    if (message.kind === "response") return [{ message, line }];
    return message.kind === "fault" && message.isResponse ? [{ message, line }] : [];
  });
}

const settingOf = (recording: Recording, modeId: (id: unknown) => boolean): Asked | undefined =>
  recording.asked(AgentMethod.setMode, "manners").find(({ params }) => modeId(params.modeId));

export const mode: Check = {
  id: "mode",
  title: "sets a mode that it offers",
  expected: "a result",
  judge(recording) {
    const asked = settingOf(recording, (id) => typeof id === "string" && !/^(none|hall-try-.*)$/.test(id));
    if (!asked) return notTried("it offers no modes");
    if (asked.reply && !asked.reply.error) return ok(`set ${JSON.stringify(asked.params.modeId)}`);
    return deviates(
      asked.reply?.error ? `answered ${inWords(asked.reply.error)}` : "did not answer",
      "A session that was in that mode cannot be restored (restore_failed).",
      "Answer session/set_mode with {} for each mode that you list.",
    );
  },
};

export const unknownMode: Check = {
  id: "mode-unknown",
  title: "is asked for a mode that it does not offer",
  expected: "an error",
  judge(recording) {
    const asked = settingOf(recording, (id) => id === "hall-try-no-such-mode");
    if (!asked) return notTried("it offers no modes");
    if (asked.reply?.error) return ok(`answered ${inWords(asked.reply.error)}`);
    return deviates(
      asked.reply ? "took it" : "did not answer",
      "The hall records that mode as the one in force, and chooses it again when it restores the session.",
      "Answer with an error, and stay in the mode that you are in.",
    );
  },
};

export const relativeFolder: Check = {
  id: "cwd-relative",
  title: "is given a folder that is no absolute path",
  expected: `an error ${Code.invalidParams}`,
  judge(recording) {
    const asked = recording
      .asked(AgentMethod.newSession, "manners")
      .find(({ params }) => typeof params.cwd === "string" && !isAbsolute(params.cwd));
    if (!asked) return notTried(missing(recording));
    const hall = "The hall refuses such a folder itself.";
    const advice = `Answer ${Code.invalidParams} unless cwd is absolute: nobody knows what a relative one starts from.`;
    if (!asked.reply) return deviates("did not answer", hall, advice);
    if (!asked.reply.error) return noted("took it", hall, advice);
    return ok(`answered ${inWords(asked.reply.error)}`);
  },
};

export const unknownSession: Check = {
  id: "session-unknown",
  title: "is asked for a session that it does not have",
  expected: "an error",
  judge(recording) {
    const unknown = "00000000-0000-4000-8000-00000000dead";
    const asked = [AgentMethod.loadSession, AgentMethod.resumeSession, AgentMethod.setMode]
      .flatMap((method) => recording.asked(method, "manners"))
      .find(({ params }) => params.sessionId === unknown);
    if (!asked) return notTried(missing(recording));
    return judgeUnknown(asked);
  },
};

function judgeUnknown({ method, reply }: Asked): Judgement {
  const hall =
    "The hall takes a load that replays nothing for one that failed, and goes on with a transcript.";
  const advice = `Answer ${Code.notFound} for a session that you do not have.`;
  if (!reply) return deviates(`did not answer ${method}`, hall, advice);
  if (!reply.error) return deviates(`took it, in ${method}`, hall, advice);
  return ok(`answered ${inWords(reply.error)}`);
}

export const manners: readonly Check[] = [
  ...[
    unknownMethod,
    stringId,
    unknownNotification,
    badLine,
    relativeFolder,
    unknownSession,
    mode,
    unknownMode,
  ],
];

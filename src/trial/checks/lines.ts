import { isFields } from "../../acp/checks.ts";
import { AgentMethod, ClientMethod } from "../../acp/methods.ts";
import { parsed } from "../../ground/json.ts";
import type { EntryOf } from "../entry.ts";
import { type Check, deviates, notTried, ok } from "../judgement.ts";
import type { Recording } from "../recording.ts";
import { updatesOf } from "../update.ts";
import { count, few, quoted } from "../wording.ts";

const faultsIn = (recording: Recording): EntryOf<"heard">[] =>
  recording.of("heard").filter(({ message }) => message.kind === "fault");

/** An answer that is none for want of an id; `id: null` is the answer to a line that could not be read. */
const isIdless = ({ line }: EntryOf<"heard">): boolean => {
  const value = parsed(line);
  return (
    isFields(value) &&
    value.method === undefined &&
    value.id === undefined &&
    ("error" in value || "result" in value)
  );
};

export const stdout: Check = {
  id: "stdout",
  title: "keeps stdout to messages",
  expected: "each line on stdout is a JSON object; everything else goes to stderr",
  judge(recording) {
    const noise = faultsIn(recording).filter(({ line }) => !isFields(parsed(line)));
    const [first] = noise;
    const heard = recording.of("heard").length;
    if (heard === 0) return notTried("it said nothing");
    if (!first) return ok(count(heard, "line"));
    return deviates(
      `${count(noise.length, "line")} that ${noise.length === 1 ? "is" : "are"} none: ${quoted(first.line)}`,
      "The hall logs such a line and goes on; an editor may give up.",
      "Print with console.error, or what writes to stderr; look for libraries that print.",
    );
  },
};

export const messages: Check = {
  id: "messages",
  title: "writes JSON-RPC 2.0",
  expected:
    'each message says "jsonrpc": "2.0", and is a request, a notification, or an answer with a result or an error',
  judge(recording) {
    const wrong = faultsIn(recording).filter((entry) => isFields(parsed(entry.line)) && !isIdless(entry));
    const [first] = wrong;
    if (recording.of("heard").length === 0) return notTried("it said nothing");
    if (first?.message.kind !== "fault") return ok("every message is one");
    return deviates(
      `${count(wrong.length, "message")} that ${wrong.length === 1 ? "is" : "are"} none (${first.message.message}): ${quoted(first.line)}`,
      "The hall drops it; a request that it was to answer fails.",
      "Write messages through a JSON-RPC library, such as ACP's SDK.",
    );
  },
};

export const answers: Check = {
  id: "answers",
  title: "answers under the id that it was asked with, once",
  expected: "one answer for each request, none to anything else, none without an id",
  judge(recording) {
    const hall = "The hall drops it; the request that it was meant for waits until its time is over.";
    const advice =
      "Copy the id of the request, with its type, into the one answer to it; never answer a notification.";
    const idless = faultsIn(recording).filter((entry) => isIdless(entry) && entry.scene !== GARBLED);
    const [first] = idless;
    if (recording.of("heard").length === 0) return notTried("it said nothing");
    if (first)
      return deviates(`${count(idless.length, "answer")} without an id: ${quoted(first.line)}`, hall, advice);
    const stray = strayAnswers(recording);
    const [one] = stray;
    if (!one) return ok("each answer has its request");
    return deviates(
      `${count(stray.length, "answer")} to nothing that was asked: ${quoted(one.line)}`,
      hall,
      advice,
    );
  },
};

/** The scene in which what cannot be answered is sent: checks of its own judge it. */
const GARBLED = "manners";

/** Answers to nothing, second answers among them. */
function strayAnswers(recording: Recording): EntryOf<"heard">[] {
  const open = new Set<string>();
  return recording.entries.filter((entry): entry is EntryOf<"heard"> => {
    if (entry.kind === "sent" && entry.message.method !== undefined && entry.message.id !== undefined)
      open.add(JSON.stringify([entry.process, entry.message.id]));
    if (entry.kind !== "heard" || entry.message.kind !== "response") return false;
    const isStray = !open.delete(JSON.stringify([entry.process, entry.message.id]));
    return isStray && !(entry.scene === GARBLED && typeof entry.message.id !== "number");
  });
}

const CLIENT_METHODS: ReadonlySet<string> = new Set([
  ClientMethod.requestPermission,
  ClientMethod.createElicitation,
]);

export const offered: Check = {
  id: "client-methods",
  title: "calls only what its client offers",
  expected: "no fs/* and terminal/* calls: the trial says in initialize that it has none",
  judge(recording) {
    const calls = recording.of("heard").flatMap(({ message }) => {
      if (message.kind !== "request" || message.method.startsWith("_")) return [];
      return CLIENT_METHODS.has(message.method) ? [] : [message.method];
    });
    if (recording.asked(AgentMethod.newSession).length === 0) return notTried("it opened no session");
    if (calls.length === 0) return ok("called nothing else");
    return deviates(
      `called ${few([...new Set(calls)])}`,
      "The hall serves files and terminals unless the slot turns them off; a client without a hall answers -32601.",
      "Look at clientCapabilities in initialize, and do it yourself where the client does not.",
    );
  },
};

export const knownSessions: Check = {
  id: "session-known",
  title: "speaks of its own sessions",
  expected: "each update names a session that the agent gave, or was asked to load or resume",
  judge(recording) {
    const opened = recording
      .asked(AgentMethod.newSession)
      .flatMap(({ reply }) => reply?.result.sessionId ?? []);
    const again = [AgentMethod.loadSession, AgentMethod.resumeSession].flatMap((method) =>
      recording.asked(method).map(({ params }) => params.sessionId),
    );
    const known = new Set<unknown>([...opened, ...again]);
    const foreign = updatesOf(recording).filter(({ sessionId }) => !known.has(sessionId));
    if (opened.length === 0) return notTried("it opened no session");
    const [first] = foreign;
    if (!first) return ok("every update does");
    return deviates(
      `${count(foreign.length, "update")} for session ${JSON.stringify(first.sessionId) ?? "none"}`,
      "The hall drops such an update, and logs the first.",
      "Use the sessionId that session/new answered in every update of that session.",
    );
  },
};

export const early: Check = {
  id: "session-first",
  title: "names a session before it speaks of it",
  expected: "the answer to session/new comes before the first update of the session",
  judge(recording) {
    const opened = recording.asked(AgentMethod.newSession).filter(({ reply }) => reply && !reply.error);
    if (opened.length === 0) return notTried("it opened no session");
    const tooEarly = opened.flatMap(({ sent, reply }) =>
      updatesOf(recording).filter(
        ({ entry, sessionId }) =>
          reply !== undefined &&
          sessionId === reply.result.sessionId &&
          entry.process === sent.process &&
          recording.isAfter(reply.entry, entry),
      ),
    );
    const [first] = tooEarly;
    if (!first) return ok("it does");
    return deviates(
      `${count(tooEarly.length, "update")} before it, the first ${first.kind || "of no kind"}`,
      "The hall holds them until the answer names the session; an editor may drop them.",
      "Send the answer to session/new first, then what the session has to tell.",
    );
  },
};

/** What updates cannot do without, by kind: names of fields. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  agent_message_chunk: ["content"],
  agent_thought_chunk: ["content"],
  user_message_chunk: ["content"],
  tool_call: ["toolCallId", "title"],
  tool_call_update: ["toolCallId"],
  plan: ["entries"],
  available_commands_update: ["availableCommands"],
  current_mode_update: ["currentModeId"],
  config_option_update: ["configOptions"],
};

export const shape: Check = {
  id: "updates",
  title: "sends updates that are whole",
  expected:
    "each has its kind (sessionUpdate), and what that kind needs; more is fine, and so are kinds of its own",
  judge(recording) {
    const updates = updatesOf(recording);
    if (updates.length === 0) return notTried("it sent none");
    const faults = updates.flatMap(({ kind, fields }) => {
      if (kind === "") return ["one without sessionUpdate"];
      const missing = (NEEDED[kind] ?? []).filter(
        (name) => fields[name] === undefined || fields[name] === null,
      );
      return missing.length > 0 ? [`${kind} without ${missing.join(", ")}`] : [];
    });
    if (faults.length === 0) return ok(count(updates.length, "update"));
    return deviates(
      `${count(faults.length, "update")} ${faults.length === 1 ? "is" : "are"} not: ${few([...new Set(faults)])}`,
      "The hall passes it on as it is; an editor may drop it, or break.",
      "Fill in what ACP's schema requires; its SDK has the types.",
    );
  },
};

export const lines: readonly Check[] = [stdout, messages, answers, offered, knownSessions, early, shape];

import { isFields } from "../../acp/checks.ts";
import { ClientMethod } from "../../acp/methods.ts";
import { OpenToolCalls } from "../../acp/updates.ts";
import { type Check, deviates, noted, notTried, ok } from "../judgement.ts";
import type { Recording } from "../recording.ts";
import { type Turn, turnsOf } from "../turn.ts";
import { updateIn } from "../update.ts";
import { count, few } from "../wording.ts";

/** What was said of tool calls, in order: by updates, and by questions, which name one too. */
interface Mention {
  /** Its process, session and id. */
  readonly key: string;
  readonly id: string;
  readonly how: "tool_call" | "tool_call_update" | "question";
}

function mentionsIn(recording: Recording): Mention[] {
  return recording.entries.flatMap((entry): Mention[] => {
    if (entry.kind !== "heard") return [];
    const named = (sessionId: unknown, id: unknown, how: Mention["how"]): Mention[] =>
      typeof id === "string" ? [{ key: JSON.stringify([entry.process, sessionId, id]), id, how }] : [];
    const update = updateIn(entry);
    if (update?.kind === "tool_call" || update?.kind === "tool_call_update")
      return named(update.sessionId, update.fields.toolCallId, update.kind);
    const { message } = entry;
    if (message.kind !== "request" || message.method !== ClientMethod.requestPermission) return [];
    if (!isFields(message.params) || !isFields(message.params.toolCall)) return [];
    return named(message.params.sessionId, message.params.toolCall.toolCallId, "question");
  });
}

export const announced: Check = {
  id: "tool-announced",
  title: "announces a tool call before it speaks of it",
  expected: "a tool_call with that id comes before its updates, and before a question about it",
  judge(recording) {
    const mentions = mentionsIn(recording);
    if (mentions.length === 0) return notTried("it used no tool");
    const known = new Set<string>();
    const missing = new Map<string, Mention["how"]>();
    for (const { key, how } of mentions) {
      if (how === "tool_call") known.add(key);
      else if (!known.has(key) && !missing.has(key)) missing.set(key, how);
    }
    if (missing.size === 0) return ok(count(known.size, "tool call"));
    const first = [...missing.values()].includes("question") ? "a question" : "an update";
    return deviates(
      `${count(missing.size, "tool call")} first heard of in ${first}`,
      "The hall passes it on; it closes the call at the end of the turn if the agent does not. An editor may show nothing.",
      "Send a tool_call (status pending) before session/request_permission and before the first tool_call_update.",
    );
  },
};

export const once: Check = {
  id: "tool-once",
  title: "announces a tool call once",
  expected: "one tool_call for each id, then tool_call_update",
  judge(recording) {
    const calls = mentionsIn(recording).filter(({ how }) => how === "tool_call");
    if (calls.length === 0) return notTried("it announced none");
    const seen = new Set<string>();
    const again = calls.filter(({ key }) => seen.size === seen.add(key).size);
    if (again.length === 0) return ok(count(calls.length, "tool call"));
    return deviates(
      `announced ${few([...new Set(again.map(({ id }) => id))])} again`,
      "The hall passes both on; an editor may show two.",
      "Send tool_call_update from the second time on; give a new call a new id.",
    );
  },
};

export const ended: Check = {
  id: "tool-ended",
  title: "ends its tool calls with the turn",
  expected:
    "when a turn is answered each of its calls is completed or failed; a client closes those of a cancelled turn",
  judge(recording) {
    const turns = turnsOf(recording).filter(({ reply }) => reply !== undefined);
    const open = turns.map((turn) => ({ turn, ids: openIn(turn) }));
    if (mentionsIn(recording).length === 0) return notTried("it used no tool");
    const left = open.filter(({ ids }) => ids.length > 0);
    const uncancelled = left.filter(({ turn }) => !turn.cancelled);
    const hall = 'The hall ends them itself: a tool_call_update with status failed, and _meta "hall/closed".';
    const advice =
      "Send tool_call_update with completed or failed for each call before the answer, refused ones too.";
    const told = (some: typeof left): string =>
      `left ${count(some.flatMap(({ ids }) => ids).length, "call")} open`;
    if (uncancelled.length > 0) return deviates(told(uncancelled), hall, advice);
    if (left.length > 0) return noted(`${told(left)} when it was cancelled`, hall, advice);
    return ok("none was left open");
  },
};

function openIn(turn: Turn): string[] {
  const open = new OpenToolCalls();
  for (const { kind, fields } of turn.updates) open.see(kind, fields);
  return open.takeAll();
}

export const tools: readonly Check[] = [announced, once, ended];

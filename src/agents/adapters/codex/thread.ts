import type { Fields } from "../../../acp/checks.ts";
import { failed, noSession } from "../failure.ts";
import { fieldsIn, listIn, textOf, wordsOf } from "../native-line.ts";
import type { Step } from "../step.ts";
import { availableCommands } from "../updates.ts";
import { threadPolicy } from "./modes.ts";
import { codexServers } from "./servers.ts";
import type { CodexSession } from "./session.ts";
import type { Answer } from "./wire.ts";

export function listModels(state: CodexSession): Step {
  return state.wire.request("model/list", {}, (answer) => {
    // Without a catalogue there is nothing to choose from, and everything else works.
    if ("result" in answer) state.models.takeCatalogue(answer.result);
    return [openThread(state)];
  });
}

function openThread(state: CodexSession): Step {
  const { opening, wire, mode } = state;
  const servers = codexServers(opening.mcpServers);
  const params = {
    cwd: opening.cwd,
    ...threadPolicy(mode),
    ...(Object.keys(servers).length > 0 ? { config: { mcp_servers: servers } } : {}),
  };
  const opened = (answer: Answer): Step[] =>
    "error" in answer ? endOpening(state, answer.error) : threadOpened(state, answer.result);
  if (opening.how === "new") return wire.request("thread/start", params, opened);
  const threadId = opening.how === "fork" ? (opening.from ?? opening.id) : opening.id;
  const method = opening.how === "fork" ? "thread/fork" : "thread/resume";
  return wire.request(method, { ...params, threadId, excludeTurns: true }, opened);
}

function threadOpened(state: CodexSession, result: Fields): Step[] {
  const { models, opening } = state;
  state.threadId = wordsOf(fieldsIn(result, "thread"), "id") ?? state.threadId;
  models.takeThread(result);
  return opening.how === "load" ? [nextTurns(state, null)] : answerOpening(state);
}

/** The turns of before, oldest first, page by page. */
function nextTurns(state: CodexSession, cursor: string | null): Step {
  const params = { threadId: state.threadId, sortDirection: "asc", itemsView: "full", limit: 100, cursor };
  return state.wire.request("thread/turns/list", params, (answer) => {
    if ("error" in answer) return endOpening(state, answer.error);
    const steps = listIn(answer.result, "data").flatMap((turn) =>
      listIn(turn, "items").flatMap((item) => state.items.remembered(item)),
    );
    const next = wordsOf(answer.result, "nextCursor");
    return [...steps, ...(next === undefined ? answerOpening(state) : [nextTurns(state, next)])];
  });
}

function answerOpening(state: CodexSession): Step[] {
  const { opener, opening, threadId } = state;
  state.opener = undefined;
  if (opener === undefined) return [];
  const named = opening.how === "new" || opening.how === "fork";
  return [{ reply: opener, result: named ? { sessionId: threadId } : {} }, availableCommands(COMMANDS)];
}

export function endOpening(state: CodexSession, error: Fields): Step[] {
  const { opener, opening } = state;
  state.opener = undefined;
  if (opener === undefined) return [];
  const text = textOf(error, "message");
  const unknown = /no rollout found|thread not found|invalid (session|thread) id/i.test(text);
  const id = opening.from ?? opening.id;
  return [{ fail: opener, error: unknown ? noSession(id) : failed(text, "agent_protocol") }];
}

const COMMANDS = [
  { name: "compact", description: "Shorten the conversation so far" },
  { name: "review", description: "Review the changes that are not committed", hint: "what to look at" },
];

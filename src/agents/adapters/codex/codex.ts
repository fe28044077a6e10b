import { type Fields, isFields } from "../../../acp/checks.ts";
import { AgentMethod } from "../../../acp/methods.ts";
import { version } from "../../../ground/version.ts";
import { type Id, isId } from "../../../wire/message.ts";
import type { AcpMessage } from "../acp-message.ts";
import type { Adapter } from "../adapter.ts";
import { failed, noSession, noSuchMethod, wrongParams } from "../failure.ts";
import { fieldsIn, listIn, numberOf, objectIn, strayLine, textOf, wordsOf } from "../native-line.ts";
import type { Opening } from "../opening.ts";
import type { Step } from "../step.ts";
import { terminalLogin } from "../terminal-login.ts";
import {
  availableCommands,
  configOptions,
  currentMode,
  note,
  type PlanEntry,
  plan,
  usage,
} from "../updates.ts";
import { type Approval, approvalOf } from "./approval.ts";
import { turnInput } from "./input.ts";
import { Items } from "./items.ts";
import { Models } from "./models.ts";
import { DEFAULT_MODE, hasMode, modesState, threadPolicy, turnPolicy } from "./modes.ts";
import { codexServers } from "./servers.ts";
import { turnFailure } from "./turn-failure.ts";
import { type Answer, CodexWire } from "./wire.ts";

/** The prompt that runs. */
interface CodexTurn {
  readonly prompt: Id;
  /** What Codex calls it, once it said so. */
  id: string | undefined;
  /** It is to be interrupted as soon as it has a name. */
  cancelled: boolean;
}

interface CodexSession {
  readonly opening: Opening;
  readonly program: string;
  readonly args: string[];
  readonly wire: CodexWire;
  readonly items: Items;
  readonly models: Models;
  mode: string;
  opener: Id | undefined;
  threadId: string;
  turn: CodexTurn | undefined;
  readonly approvals: Map<string, { id: Id; approval: Approval }>;
}

const PROGRAM = "codex";

/**
 * Codex by its app-server: threads are sessions, turns are prompts. One process a session. A second `turn/start` would
 * steer the turn that runs instead of waiting for its end: the runner sends one prompt at a time.
 */
export const codex: Adapter<CodexSession> = {
  name: "codex",
  title: "Codex",
  variables: ["CODEX_HOME", "CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"],

  init({ command, args }, opening) {
    const [program = PROGRAM, ...own] = command ?? [];
    return {
      opening,
      program,
      args: [...own, "app-server", ...args],
      wire: new CodexWire(),
      items: new Items(),
      models: new Models(),
      mode: DEFAULT_MODE,
      opener: undefined,
      threadId: opening.id,
      turn: undefined,
      approvals: new Map(),
    };
  },

  program: ({ command }) => command?.[0] ?? PROGRAM,
  command: ({ program, args }) => ({ program, args }),

  capabilities: () => ({
    loadSession: true,
    promptCapabilities: { image: true, embeddedContext: true },
    mcpCapabilities: { http: true, sse: false },
    sessionCapabilities: { resume: {}, additionalDirectories: {} },
  }),

  authMethods: (settings, client) =>
    terminalLogin(client, settings, "codex-login", "Log in to Codex", ["login"]),

  modes: ({ mode }) => modesState(mode),
  configOptions: ({ models }) => models.options,

  started: (state) => {
    const params = {
      clientInfo: { name: "hall", title: "hall", version: version() },
      capabilities: { experimentalApi: true, requestAttestation: false },
    };
    return [
      state.wire.request("initialize", params, (answer) => {
        if ("error" in answer) return endOpening(state, answer.error);
        return [state.wire.notify("initialized"), listModels(state)];
      }),
    ];
  },

  fromAcp(sent, state) {
    switch (sent.kind) {
      case "answer":
        return decided(state, sent);
      case "cancel":
        return interrupt(state);
      case "notification":
        return [];
      default:
        return asked(state, sent);
    }
  },

  forkSession(sent, state) {
    if (sent.kind === "request") state.opener = sent.id;
    return [];
  },

  fromNative(line, state) {
    const event = objectIn(line);
    if (!event) return [{ log: strayLine(line) }];
    const params = fieldsIn(event, "params");
    if (typeof event.method !== "string") return state.wire.answered(event.id, answerIn(event));
    // Ids begin at 0.
    if (isId(event.id)) return serverAsks(state, event.id, event.method, params);
    return isOurs(state, params) ? told(state, event.method, params) : [];
  },
};

const answerIn = (event: Fields): Answer =>
  "error" in event ? { error: fieldsIn(event, "error") } : { result: fieldsIn(event, "result") };

/** A subagent has a thread of its own. */
const isOurs = ({ threadId }: CodexSession, params: Fields): boolean =>
  params.threadId === undefined || params.threadId === threadId;

function listModels(state: CodexSession): Step {
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

function endOpening(state: CodexSession, error: Fields): Step[] {
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

function asked(
  state: CodexSession,
  { id, method, params }: Extract<AcpMessage, { kind: "request" }>,
): Step[] {
  switch (method) {
    case AgentMethod.newSession:
    case AgentMethod.loadSession:
    case AgentMethod.resumeSession:
      state.opener = id;
      return [];
    case AgentMethod.prompt:
      return startTurn(state, id, Array.isArray(params.prompt) ? params.prompt.filter(isFields) : []);
    case AgentMethod.setMode: {
      const { modeId } = params;
      if (!hasMode(modeId))
        return [{ fail: id, error: wrongParams(`There is no mode ${JSON.stringify(modeId)}.`) }];
      // It holds from the next turn on.
      state.mode = modeId;
      return [currentMode(modeId), { reply: id, result: {} }];
    }
    case AgentMethod.setConfigOption: {
      const { configId, value } = params;
      if (!state.models.choose(String(configId), value)) {
        const what = `There is no option ${JSON.stringify(configId)} with the value ${JSON.stringify(value)}.`;
        return [{ fail: id, error: wrongParams(what, { configOptions: state.models.options }) }];
      }
      const { options } = state.models;
      return [configOptions(options), { reply: id, result: { configOptions: options } }];
    }
    default:
      return [{ fail: id, error: noSuchMethod(method) }];
  }
}

function startTurn(state: CodexSession, prompt: Id, blocks: readonly Fields[]): Step[] {
  const turn: CodexTurn = { prompt, id: undefined, cancelled: false };
  state.turn = turn;
  const { method, params } = turnRequest(state, blocks);
  const started = state.wire.request(method, { threadId: state.threadId, ...params }, (answer) => {
    if ("result" in answer) return turnNamed(state, turn, fieldsIn(answer.result, "turn"));
    if (state.turn !== turn) return [];
    state.turn = undefined;
    return [{ fail: prompt, error: turnFailure(answer.error) }];
  });
  return [started];
}

function turnRequest(
  { mode, models, opening }: CodexSession,
  blocks: readonly Fields[],
): { method: string; params: Fields } {
  const words = /^\/(compact|review)(?:\s+(.*))?$/s.exec(textOf(blocks[0] ?? {}, "text").trim());
  if (words?.[1] === "compact") return { method: "thread/compact/start", params: {} };
  if (words?.[1] === "review") {
    const instructions = words[2];
    const target = instructions ? { type: "custom", instructions } : { type: "uncommittedChanges" };
    return { method: "review/start", params: { target, delivery: "inline" } };
  }
  const policy = turnPolicy(mode, opening.additionalDirectories);
  return { method: "turn/start", params: { input: turnInput(blocks), ...policy, ...models.chosen } };
}

/** Its name may come by its answer or by `turn/started`, whichever is first; a cancel may have waited for it. */
function turnNamed(state: CodexSession, turn: CodexTurn, { id }: Fields): Step[] {
  if (state.turn !== turn || turn.id !== undefined || typeof id !== "string") return [];
  turn.id = id;
  return turn.cancelled ? interrupt(state) : [];
}

function interrupt(state: CodexSession): Step[] {
  const { turn, threadId, wire } = state;
  if (!turn) return [];
  turn.cancelled = true;
  if (turn.id === undefined) return [];
  // That there was nothing to interrupt any more is no failure.
  return [wire.request("turn/interrupt", { threadId, turnId: turn.id }, () => [])];
}

function turnCompleted(state: CodexSession, ended: Fields): Step[] {
  const { turn, items } = state;
  if (!turn || (turn.id !== undefined && turn.id !== ended.id)) return [];
  state.turn = undefined;
  items.endTurn();
  if (ended.status === "failed") return [{ fail: turn.prompt, error: turnFailure(fieldsIn(ended, "error")) }];
  const stopReason = ended.status === "interrupted" ? "cancelled" : "end_turn";
  return [{ reply: turn.prompt, result: { stopReason } }];
}

function told(state: CodexSession, method: string, params: Fields): Step[] {
  const { items } = state;
  const itemId = textOf(params, "itemId");
  const delta = textOf(params, "delta");
  switch (method) {
    case "item/agentMessage/delta":
      return items.said(itemId, delta);
    case "item/reasoning/summaryTextDelta":
    case "item/reasoning/textDelta":
    case "item/plan/delta":
      return items.thought(itemId, delta);
    case "item/reasoning/summaryPartAdded":
      return items.thoughtPart(itemId);
    case "item/commandExecution/outputDelta":
      return items.printed(itemId, delta);
    case "item/started":
      return items.started(fieldsIn(params, "item"));
    case "item/completed":
      return items.completed(fieldsIn(params, "item"));
    case "turn/started":
      return state.turn ? turnNamed(state, state.turn, fieldsIn(params, "turn")) : [];
    case "turn/completed":
      return turnCompleted(state, fieldsIn(params, "turn"));
    case "turn/plan/updated":
      return [plan(listIn(params, "plan").map(planEntry))];
    case "thread/tokenUsage/updated":
      return usageTold(fieldsIn(params, "tokenUsage"));
    case "thread/name/updated":
      return [{ update: { sessionUpdate: "session_info_update", title: textOf(params, "threadName") } }];
    case "serverRequest/resolved":
      return resolved(state, params.requestId);
    case "model/rerouted":
      return [note("codex", { model: params.toModel, insteadOf: params.fromModel, reason: params.reason })];
    case "error":
      return [
        note("codex", {
          error: textOf(fieldsIn(params, "error"), "message"),
          willRetry: params.willRetry === true,
        }),
      ];
    case "warning":
    case "guardianWarning":
    case "configWarning":
      return [note("codex", { warning: wordsOf(params, "message") ?? textOf(params, "summary") })];
    default:
      return [];
  }
}

const planEntry = (entry: Fields): PlanEntry => ({
  content: textOf(entry, "step"),
  status:
    entry.status === "completed" ? "completed" : entry.status === "inProgress" ? "in_progress" : "pending",
  priority: "medium",
});

function usageTold(tokens: Fields): Step[] {
  const size = numberOf(tokens, "modelContextWindow");
  return size === 0 ? [] : [usage(numberOf(fieldsIn(tokens, "last"), "totalTokens"), size)];
}

/** What Codex asks of us. It waits for each answer, so that everything unknown is answered, too. */
function serverAsks(state: CodexSession, id: Id, method: string, params: Fields): Step[] {
  const { approvals, items, wire } = state;
  if (method === "item/tool/requestUserInput") return [wire.reply(id, { answers: {} })];
  const approval = approvalOf(method, params);
  if (!approval) return [wire.refuse(id, `${method} is not supported here.`)];
  const ask = JSON.stringify(id);
  approvals.set(ask, { id, approval });
  const { toolCallId: _, ...shown } = approval.permission.toolCall;
  return [...items.announce(approval.toolCallId, shown), { ask, permission: approval.permission }];
}

function decided(state: CodexSession, { ask, decision }: Extract<AcpMessage, { kind: "answer" }>): Step[] {
  const open = state.approvals.get(ask);
  if (!open) return [];
  state.approvals.delete(ask);
  return [state.wire.reply(open.id, open.approval.answer(decision))];
}

/** Codex wants no answer any more: answered, or its turn is over. */
function resolved(state: CodexSession, requestId: unknown): Step[] {
  const ask = JSON.stringify(requestId);
  return state.approvals.delete(ask) ? [{ withdraw: ask }] : [];
}

import { type Fields, isFields } from "../../../acp/checks.ts";
import { AgentMethod } from "../../../acp/methods.ts";
import type { Id } from "../../../wire/message.ts";
import type { Decision } from "../acp-message.ts";
import type { Adapter } from "../adapter.ts";
import { failed, noSession, noSuchMethod, wrongParams } from "../failure.ts";
import { fieldsIn, objectIn, strayLine, textOf, wordsOf } from "../native-line.ts";
import type { Opening } from "../opening.ts";
import type { Step } from "../step.ts";
import { terminalLogin } from "../terminal-login.ts";
import { availableCommands, configOptions, currentMode } from "../updates.ts";
import { childArguments } from "./arguments.ts";
import { claudeServers, commandsIn, Offers } from "./offers.ts";
import { userContent } from "./prompt.ts";
import { ToolQuestion } from "./question.ts";
import { linesOfSession, listSessions } from "./session-store.ts";
import { ClaudeStream } from "./stream.ts";
import { turnEnd } from "./turn-end.ts";

const PROGRAM = "claude";

type Answered = (answer: Fields, error: string | undefined) => Step[];

interface ClaudeSession {
  readonly opening: Opening;
  readonly program: string;
  readonly args: string[];
  readonly stream: ClaudeStream;
  readonly offers: Offers;
  /** The request that opens the session, until it is answered. */
  opener: Id | undefined;
  /** The prompt that waits for its result. */
  prompt: Id | undefined;
  /** A turn that it began by itself, when work in the background was done: its result is no prompt's. */
  ownTurn: boolean;
  controls: number;
  /** Our control requests that wait. */
  readonly waiting: Map<string, Answered>;
  readonly questions: Map<string, ToolQuestion>;
}

/**
 * Claude Code by its own protocol: stream-json both ways, and control requests beside it. One process a session, which
 * is named by the ACP session id; the process keeps the conversation on its disk, so that another can go on with it.
 */
export const claudeCode: Adapter<ClaudeSession> = {
  name: "claude-code",
  title: "Claude Code",
  variables: [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_MODEL",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CONFIG_DIR",
  ],

  init({ command, args }, opening) {
    const [program = PROGRAM, ...own] = command ?? [];
    return {
      opening,
      program,
      args: [...own, ...childArguments(opening), ...args],
      stream: new ClaudeStream(opening.cwd),
      offers: new Offers(),
      opener: undefined,
      prompt: undefined,
      ownTurn: false,
      controls: 0,
      waiting: new Map(),
      questions: new Map(),
    };
  },

  program: ({ command }) => command?.[0] ?? PROGRAM,

  command: ({ program, args }) => ({ program, args }),

  // Its updater would replace the program that others run.
  environment: () => ({ DISABLE_AUTOUPDATER: "1" }),

  capabilities: () => ({
    loadSession: true,
    promptCapabilities: { image: true, embeddedContext: true },
    mcpCapabilities: { http: true, sse: true },
    sessionCapabilities: { resume: {}, additionalDirectories: {} },
  }),

  authMethods: (settings, client) =>
    terminalLogin(client, settings, "claude-login", "Log in to Claude Code", ["/login"]),

  modes: ({ offers }) => offers.modes,
  configOptions: ({ offers }) => offers.options,

  started: (state) => [
    control(state, { subtype: "initialize" }, (answer, error) => {
      if (error !== undefined) return endOpening(state, error);
      state.offers.take(answer);
      const servers = claudeServers(state.opening.mcpServers);
      if (Object.keys(servers).length === 0) return opened(state);
      // By stdin: what stands in arguments is public, and servers have secrets.
      const set = control(state, { subtype: "mcp_set_servers", servers }, (_, refused) =>
        refused === undefined
          ? opened(state)
          : endOpening(state, `It did not take the session's MCP servers: ${refused}`),
      );
      return [set];
    }),
  ],

  fromAcp(sent, state) {
    if (sent.kind === "answer") return answerQuestion(state, sent.ask, sent.decision);
    if (sent.kind === "cancel") return [control(state, { subtype: "interrupt" }, () => [])];
    if (sent.kind === "notification") return [];
    const { id, method, params } = sent;
    switch (method) {
      case AgentMethod.newSession:
      case AgentMethod.loadSession:
      case AgentMethod.resumeSession:
        state.opener = id;
        return [];
      case AgentMethod.prompt:
        return startTurn(state, id, params);
      case AgentMethod.setMode:
        return setMode(state, id, params.modeId);
      case AgentMethod.setConfigOption:
        return setOption(state, id, textOf(params, "configId"), params.value);
      default:
        return [{ fail: id, error: noSuchMethod(method) }];
    }
  },

  forkSession(sent, state) {
    if (sent.kind === "request") state.opener = sent.id;
    return [];
  },

  fromNative(line, state) {
    const event = objectIn(line);
    if (!event) return [{ log: strayLine(line) }];
    switch (event.type) {
      case "control_response":
        return controlAnswered(state, fieldsIn(event, "response"));
      case "control_request":
        return asked(state, textOf(event, "request_id"), fieldsIn(event, "request"));
      case "control_cancel_request": {
        const request = textOf(event, "request_id");
        state.questions.delete(request);
        return [{ withdraw: request }];
      }
      case "result":
        return endTurn(state, event);
      case "system":
        return [...stateTold(state, event), ...state.stream.event(event)];
      default:
        return state.stream.event(event);
    }
  },

  listSessions,
  history: linesOfSession,
  fromHistory: (line, { stream }) => stream.remembered(objectIn(line) ?? {}),

  exited({ stderr }, state) {
    const unknown = stderr.some((line) => line.includes("No conversation found"));
    if (state.opener === undefined || !unknown) return [];
    return [{ fail: state.opener, error: noSession(state.opening.from ?? state.opening.id) }];
  },
};

function control(state: ClaudeSession, request: Fields, answered: Answered): Step {
  state.controls += 1;
  const id = `hall-${state.controls}`;
  state.waiting.set(id, answered);
  return { write: JSON.stringify({ type: "control_request", request_id: id, request }) };
}

function controlAnswered(state: ClaudeSession, response: Fields): Step[] {
  const id = textOf(response, "request_id");
  // With --replay-user-messages our own answers come back, too.
  const answered = state.waiting.get(id);
  state.waiting.delete(id);
  const error = response.subtype === "error" ? textOf(response, "error") || "it refused" : undefined;
  return answered?.(fieldsIn(response, "response"), error) ?? [];
}

function opened(state: ClaudeSession): Step[] {
  const { offers, opener } = state;
  state.opener = undefined;
  if (opener === undefined) return [];
  return [
    { reply: opener, result: { ...(state.opening.how === "fork" ? { sessionId: state.opening.id } : {}) } },
    ...(offers.commands.length > 0 ? [availableCommands(offers.commands)] : []),
  ];
}

function endOpening(state: ClaudeSession, why: string): Step[] {
  const { opener } = state;
  state.opener = undefined;
  return opener === undefined ? [] : [{ fail: opener, error: failed(why, "agent_protocol") }];
}

function startTurn(state: ClaudeSession, id: Id, params: Fields): Step[] {
  state.prompt = id;
  const blocks = Array.isArray(params.prompt) ? params.prompt.filter(isFields) : [];
  const content = userContent(blocks);
  return [
    {
      write: JSON.stringify({
        type: "user",
        session_id: "",
        message: { role: "user", content },
        parent_tool_use_id: null,
      }),
    },
  ];
}

function endTurn(state: ClaudeSession, result: Fields): Step[] {
  // An opening that fails is told by the exit that follows.
  if (state.opener !== undefined) return [];
  const { steps, end } = turnEnd(result, state.stream);
  const { ownTurn, prompt } = state;
  state.ownTurn = false;
  if (ownTurn || prompt === undefined) return steps;
  state.prompt = undefined;
  return [
    ...steps,
    "fail" in end ? { fail: prompt, error: end.fail } : { reply: prompt, result: end.result },
  ];
}

/** What a `system` line tells of the session's state. */
function stateTold(state: ClaudeSession, event: Fields): Step[] {
  const { offers } = state;
  if (event.subtype === "commands_changed") {
    offers.commands = commandsIn(event.commands);
    return [availableCommands(offers.commands)];
  }
  if (event.subtype === "init" && state.prompt === undefined) state.ownTurn = true;
  if (event.subtype !== "init" && event.subtype !== "status") return [];
  const mode = wordsOf(event, "permissionMode");
  if (mode === undefined || mode === offers.mode) return [];
  offers.mode = mode;
  return [currentMode(mode)];
}

/** What Claude Code asks of us. It waits for each answer, so that everything unknown is answered, too. */
function asked(state: ClaudeSession, id: string, request: Fields): Step[] {
  if (request.subtype !== "can_use_tool") {
    const error = `${textOf(request, "subtype")} is not supported here.`;
    return [controlResponse({ subtype: "error", request_id: id, error })];
  }
  const question = new ToolQuestion(request);
  state.questions.set(id, question);
  return [
    ...state.stream.announce(question.toolUseId, question.tool, question.input),
    { ask: id, permission: question.permission(state.opening.cwd) },
  ];
}

function answerQuestion(state: ClaudeSession, id: string, decision: Decision): Step[] {
  const question = state.questions.get(id);
  if (!question) return [];
  state.questions.delete(id);
  return [controlResponse({ subtype: "success", request_id: id, response: question.answer(decision) })];
}

const controlResponse = (response: Fields): Step => ({
  write: JSON.stringify({ type: "control_response", response }),
});

function setMode(state: ClaudeSession, id: Id, mode: unknown): Step[] {
  const { offers } = state;
  if (typeof mode !== "string" || !offers.hasMode(mode)) {
    return [
      { fail: id, error: wrongParams(`There is no mode ${JSON.stringify(mode)}.`, { modes: offers.modes }) },
    ];
  }
  const set = control(state, { subtype: "set_permission_mode", mode }, (_, error) => {
    if (error !== undefined) return [{ fail: id, error: wrongParams(error) }];
    const changed = offers.mode !== mode;
    offers.mode = mode;
    return [...(changed ? [currentMode(mode)] : []), { reply: id, result: {} }];
  });
  return [set];
}

function setOption(state: ClaudeSession, id: Id, option: string, value: unknown): Step[] {
  const { offers } = state;
  if (typeof value !== "string" || !offers.offers(option, value)) {
    const what = `There is no option ${JSON.stringify(option)} with the value ${JSON.stringify(value)}.`;
    return [{ fail: id, error: wrongParams(what, { configOptions: offers.options }) }];
  }
  const request =
    option === "model"
      ? { subtype: "set_model", model: value }
      : { subtype: "apply_flag_settings", settings: { effortLevel: value === "default" ? null : value } };
  const set = control(state, request, (_, error) => {
    if (error !== undefined) return [{ fail: id, error: wrongParams(error) }];
    if (option === "model") offers.model = value;
    else offers.effort = value;
    return [configOptions(offers.options), { reply: id, result: { configOptions: offers.options } }];
  });
  return [set];
}

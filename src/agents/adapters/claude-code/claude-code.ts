import { AgentMethod } from "../../../acp/methods.ts";
import type { Adapter } from "../adapter.ts";
import { noSession, noSuchMethod } from "../failure.ts";
import { fieldsIn, objectIn, strayLine, textOf } from "../native-line.ts";
import { terminalLogin } from "../terminal-login.ts";
import { childArguments } from "./arguments.ts";
import { control, controlAnswered } from "./control.ts";
import { claudeServers, Offers } from "./offers.ts";
import { answerQuestion, asked } from "./questions.ts";
import type { ClaudeSession } from "./session.ts";
import { endOpening, opened } from "./session-start.ts";
import { linesOfSession, listSessions } from "./session-store.ts";
import { setMode, setOption, stateTold } from "./settings.ts";
import { ClaudeStream } from "./stream.ts";
import { endTurn, startTurn } from "./turn.ts";

const PROGRAM = "claude";

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

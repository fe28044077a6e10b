import { type Fields, isFields } from "../../../acp/checks.ts";
import { AgentMethod } from "../../../acp/methods.ts";
import { version } from "../../../ground/version.ts";
import { isId } from "../../../wire/message.ts";
import type { AcpMessage } from "../acp-message.ts";
import type { Adapter } from "../adapter.ts";
import { noSuchMethod, wrongParams } from "../failure.ts";
import { fieldsIn, objectIn, strayLine } from "../native-line.ts";
import type { Step } from "../step.ts";
import { terminalLogin } from "../terminal-login.ts";
import { configOptions, currentMode } from "../updates.ts";
import { Items } from "./items.ts";
import { Models } from "./models.ts";
import { DEFAULT_MODE, hasMode, modesState } from "./modes.ts";
import { told } from "./notifications.ts";
import { decided, serverAsks } from "./questions.ts";
import type { CodexSession } from "./session.ts";
import { endOpening, listModels } from "./thread.ts";
import { interrupt, startTurn } from "./turn.ts";
import { type Answer, CodexWire } from "./wire.ts";

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

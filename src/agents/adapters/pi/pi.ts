import { isFields } from "../../../acp/checks.ts";
import { AgentMethod } from "../../../acp/methods.ts";
import type { AcpMessage } from "../acp-message.ts";
import type { Adapter } from "../adapter.ts";
import { noSession, noSuchMethod } from "../failure.ts";
import { listIn, objectIn, strayLine, textOf, wordsOf } from "../native-line.ts";
import type { Step } from "../step.ts";
import { terminalLogin } from "../terminal-login.ts";
import { line, send } from "./commands.ts";
import { told } from "./events.ts";
import { PiModels } from "./models.ts";
import { setOption } from "./options.ts";
import type { PiSession } from "./session.ts";
import { endOpening, opened, replay, sessionArguments } from "./session-start.ts";
import { Transcript } from "./transcript.ts";
import { startTurn } from "./turn.ts";

const PROGRAM = "pi";

/**
 * The pi coding agent by its RPC mode. One process a session; pi names the session and keeps it on its disk. It asks
 * nothing before it acts: only its extensions do.
 */
export const pi: Adapter<PiSession> = {
  name: "pi",
  title: "pi",
  variables: [
    "PI_CODING_AGENT_DIR",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_OAUTH_TOKEN",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GROQ_API_KEY",
    "OPENROUTER_API_KEY",
    "XAI_API_KEY",
  ],

  init({ command, args }, opening) {
    const [program = PROGRAM, ...own] = command ?? [];
    return {
      opening,
      program,
      args: [...own, "--mode", "rpc", ...sessionArguments(opening), ...args],
      transcript: new Transcript(opening.cwd),
      models: new PiModels(),
      commands: [],
      opener: undefined,
      prompt: undefined,
      last: {},
      retrying: false,
      settles: false,
      cost: 0,
      sent: 0,
      waiting: new Map(),
      questions: new Map(),
    };
  },

  program: ({ command }) => command?.[0] ?? PROGRAM,
  command: ({ program, args }) => ({ program, args }),

  environment: () => ({ PI_SKIP_VERSION_CHECK: "1" }),

  capabilities: () => ({
    loadSession: true,
    promptCapabilities: { image: true, embeddedContext: true },
    sessionCapabilities: { resume: {} },
  }),

  authMethods: (settings, client) =>
    terminalLogin(client, settings, "pi-login", "Log in to pi (type /login)", []),

  configOptions: ({ models }) => models.options,

  started: (state) => [
    send(state, { type: "get_state" }, (data, error) => {
      if (error !== undefined) return endOpening(state, error);
      state.models.takeState(data);
      const sessionId = wordsOf(data, "sessionId") ?? state.opening.id;
      return [
        send(state, { type: "get_commands" }, (answer) => {
          state.commands = listIn(answer, "commands");
          return [];
        }),
        send(state, { type: "get_available_models" }, (answer) => {
          state.models.takeModels(answer);
          if (state.models.none) return endOpening(state, undefined);
          return state.opening.how === "load" ? [replay(state)] : opened(state, sessionId);
        }),
      ];
    }),
  ],

  fromAcp(sent, state) {
    switch (sent.kind) {
      case "answer": {
        const question = state.questions.get(sent.ask);
        state.questions.delete(sent.ask);
        return question ? [...question.ended(sent.decision), line(question.answer(sent.decision))] : [];
      }
      case "cancel":
        return [
          ...(state.retrying ? [send(state, { type: "abort_retry" }, () => [])] : []),
          send(state, { type: "abort" }, () => []),
        ];
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

  fromNative(text, state) {
    const event = objectIn(text);
    return event ? told(state, event) : [{ log: strayLine(text) }];
  },

  exited({ stderr }, { opener, opening }) {
    const unknown = stderr.some((said) => said.includes("No session found"));
    return opener !== undefined && unknown
      ? [{ fail: opener, error: noSession(opening.from ?? opening.id) }]
      : [];
  },
};

function asked(state: PiSession, { id, method, params }: Extract<AcpMessage, { kind: "request" }>): Step[] {
  switch (method) {
    case AgentMethod.newSession:
    case AgentMethod.loadSession:
    case AgentMethod.resumeSession:
      state.opener = id;
      return [];
    case AgentMethod.prompt:
      return startTurn(state, id, Array.isArray(params.prompt) ? params.prompt.filter(isFields) : []);
    case AgentMethod.setConfigOption:
      return setOption(state, id, textOf(params, "configId"), params.value);
    default:
      return [{ fail: id, error: noSuchMethod(method) }];
  }
}

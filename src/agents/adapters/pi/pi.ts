import { type Fields, isFields } from "../../../acp/checks.ts";
import { AgentMethod } from "../../../acp/methods.ts";
import type { Id } from "../../../wire/message.ts";
import type { AcpMessage } from "../acp-message.ts";
import type { Adapter } from "../adapter.ts";
import { failed, loginWanted, noSession, noSuchMethod, wrongParams } from "../failure.ts";
import { fieldsIn, listIn, numberOf, objectIn, strayLine, textOf, wordsOf } from "../native-line.ts";
import type { Opening } from "../opening.ts";
import { promptText } from "../prompt-text.ts";
import type { Step } from "../step.ts";
import { terminalLogin } from "../terminal-login.ts";
import { availableCommands, configOptions, note, usage } from "../updates.ts";
import { type ExtensionQuestion, extensionQuestion, mustBeAnswered, nothing } from "./extension-question.ts";
import { PiModels } from "./models.ts";
import { Transcript } from "./transcript.ts";
import { turnFailure } from "./turn-failure.ts";

type Answered = (data: Fields, error: string | undefined) => Step[];

interface PiSession {
  readonly opening: Opening;
  readonly program: string;
  readonly args: string[];
  readonly transcript: Transcript;
  readonly models: PiModels;
  commands: Fields[];
  opener: Id | undefined;
  prompt: Id | undefined;
  /** The last message of the run that ended last. */
  last: Fields;
  /** It announced another attempt, which has not begun. */
  retrying: boolean;
  /** This version says itself when a turn is over, and not only when a run is. */
  settles: boolean;
  /** In dollars, of the session since it was opened. */
  cost: number;
  sent: number;
  readonly waiting: Map<string, Answered>;
  readonly questions: Map<string, ExtensionQuestion>;
}

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

function sessionArguments({ how, id, from }: Opening): string[] {
  if (how === "new") return [];
  return how === "fork" ? ["--fork", from ?? id] : ["--session", id];
}

const line = (message: Fields): Step => ({ write: JSON.stringify(message) });

function send(state: PiSession, command: Fields, answered: Answered): Step {
  state.sent += 1;
  const id = `hall-${state.sent}`;
  state.waiting.set(id, answered);
  return line({ ...command, id });
}

function opened(state: PiSession, sessionId: string): Step[] {
  const { opener, opening, commands } = state;
  state.opener = undefined;
  if (opener === undefined) return [];
  const named = opening.how === "new" || opening.how === "fork";
  const menu = commands.map((command) => ({
    name: textOf(command, "name"),
    description: textOf(command, "description"),
  }));
  const compact = { name: "compact", description: "Shorten the conversation so far", hint: "what to keep" };
  return [{ reply: opener, result: named ? { sessionId } : {} }, availableCommands([compact, ...menu])];
}

/** `why` undefined: pi has no model, for want of a key or a login. */
function endOpening(state: PiSession, why: string | undefined): Step[] {
  const { opener } = state;
  state.opener = undefined;
  if (opener === undefined) return [];
  const wanted = loginWanted(
    "pi has no model that it may use: set a provider's key, or log in to one with pi.",
  );
  return [{ fail: opener, error: why === undefined ? wanted : failed(why, "agent_protocol") }];
}

function replay(state: PiSession): Step {
  return send(state, { type: "get_messages" }, (data, error) => {
    if (error !== undefined) return endOpening(state, error);
    const history = listIn(data, "messages").flatMap((said) => state.transcript.remembered(said));
    state.transcript.endTurn();
    return [...history, ...opened(state, state.opening.id)];
  });
}

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

function startTurn(state: PiSession, id: Id, blocks: readonly Fields[]): Step[] {
  const compact = /^\/compact(?:\s+(.*))?$/s.exec(textOf(blocks[0] ?? {}, "text").trim());
  if (compact) {
    const [, instructions] = compact;
    const command = { type: "compact", ...(instructions ? { customInstructions: instructions } : {}) };
    return [
      send(state, command, (_, error) =>
        error === undefined
          ? [{ reply: id, result: { stopReason: "end_turn" } }]
          : [{ fail: id, error: failed(error, "provider_error") }],
      ),
    ];
  }
  state.prompt = id;
  state.last = {};
  state.retrying = false;
  const images = blocks
    .filter((block) => block.type === "image")
    .map((block) => ({ type: "image", data: block.data, mimeType: block.mimeType }));
  const message = promptText(blocks.filter((block) => block.type !== "image"));
  const prompt = { type: "prompt", message, ...(images.length > 0 ? { images } : {}) };
  return [
    send(state, prompt, (_, error) => {
      if (error === undefined || state.prompt !== id) return [];
      state.prompt = undefined;
      return [{ fail: id, error: turnFailure(error) }];
    }),
  ];
}

function setOption(state: PiSession, id: Id, option: string, value: unknown): Step[] {
  const { models } = state;
  const done = (error: string | undefined, take: () => void): Step[] => {
    if (error !== undefined) return [{ fail: id, error: wrongParams(error) }];
    take();
    return [configOptions(models.options), { reply: id, result: { configOptions: models.options } }];
  };
  if (option === "thinking" && models.hasLevel(value)) {
    const set = { type: "set_thinking_level", level: value };
    return [
      send(state, set, (_, error) =>
        done(error, () => {
          models.level = value;
        }),
      ),
    ];
  }
  const model = option === "model" ? models.find(value) : undefined;
  if (!model) {
    const what = `There is no option ${JSON.stringify(option)} with the value ${JSON.stringify(value)}.`;
    return [{ fail: id, error: wrongParams(what, { configOptions: models.options }) }];
  }
  const set = { type: "set_model", provider: model.provider, modelId: model.id };
  return [send(state, set, (_, error) => done(error, () => models.choose(model)))];
}

function told(state: PiSession, event: Fields): Step[] {
  const { transcript } = state;
  switch (event.type) {
    case "message_update":
      return transcript.streamed(fieldsIn(event, "assistantMessageEvent"));
    case "tool_execution_start":
      return transcript.started(event);
    case "tool_execution_update":
      return transcript.printed(event);
    case "tool_execution_end":
      return transcript.ended(event);
    case "response":
      return answered(state, event);
    case "agent_start":
      state.retrying = false;
      return [];
    case "agent_end":
      return runEnded(state, listIn(event, "messages"));
    case "agent_settled":
      state.settles = true;
      return endTurn(state);
    case "auto_retry_start":
      state.retrying = true;
      return [
        note("pi", { retry: { attempt: event.attempt, of: event.maxAttempts, delayMs: event.delayMs } }),
      ];
    case "auto_retry_end":
      state.retrying = false;
      return event.success === false ? endTurn(state, textOf(event, "finalError")) : [];
    case "compaction_start":
      return [note("pi", { compacting: textOf(event, "reason") })];
    case "extension_ui_request":
      return extensionAsks(state, event);
    default:
      return [];
  }
}

function answered(state: PiSession, event: Fields): Step[] {
  const id = textOf(event, "id");
  const settle = state.waiting.get(id);
  state.waiting.delete(id);
  const error = event.success === false ? (wordsOf(event, "error") ?? "pi refused it.") : undefined;
  return settle?.(fieldsIn(event, "data"), error) ?? [];
}

/**
 * A run is over; the turn may go on: pi tries again after a provider's failure, and goes on after it has shortened the
 * conversation. What follows at once is told before the answer to a question that is asked now.
 */
function runEnded(state: PiSession, messages: readonly Fields[]): Step[] {
  state.last = messages.findLast(({ role }) => role === "assistant") ?? {};
  const told = usageTold(state);
  if (state.settles || state.prompt === undefined) return told;
  const { prompt } = state;
  const look = send(state, { type: "get_state" }, (data) => {
    const goesOn = state.retrying || data.isStreaming === true || data.isCompacting === true;
    return goesOn || state.prompt !== prompt ? [] : endTurn(state);
  });
  return [...told, look];
}

function usageTold(state: PiSession): Step[] {
  const used = fieldsIn(state.last, "usage");
  const tokens = numberOf(used, "totalTokens");
  state.cost += numberOf(fieldsIn(used, "cost"), "total");
  const size = state.models.contextWindow;
  if (tokens === 0 || size === 0) return [];
  return [usage(tokens, size, state.cost > 0 ? { amount: state.cost, currency: "USD" } : undefined)];
}

function endTurn(state: PiSession, finalError?: string): Step[] {
  const { prompt, last, transcript } = state;
  if (prompt === undefined) return [];
  state.prompt = undefined;
  transcript.endTurn();
  const { stopReason } = last;
  if (finalError !== undefined || stopReason === "error") {
    const why = finalError || textOf(last, "errorMessage") || "pi says that the turn failed.";
    return [{ fail: prompt, error: turnFailure(why) }];
  }
  if (stopReason === "aborted") return [{ reply: prompt, result: { stopReason: "cancelled" } }];
  return [{ reply: prompt, result: { stopReason: stopReason === "length" ? "max_tokens" : "end_turn" } }];
}

function extensionAsks(state: PiSession, request: Fields): Step[] {
  const question = extensionQuestion(request, state.transcript.running);
  if (!question) return mustBeAnswered(request) ? [line(nothing(request))] : [];
  const ask = textOf(request, "id");
  state.questions.set(ask, question);
  return [...question.begun, { ask, permission: question.permission }];
}

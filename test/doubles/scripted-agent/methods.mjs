// @ts-check
import { isAbsolute } from "node:path";
import { OwnMethods } from "./own-methods.mjs";
import { badParams, noSuchMethod, Refusal } from "./refusal.mjs";
import { untilThere } from "./steps.mjs";
import { Turn } from "./turn.mjs";

/**
 * @import { Wire, Message } from "./wire.mjs"
 * @import { Sessions, Session } from "./sessions.mjs"
 * @import { Transcript } from "./transcript.mjs"
 * @import { JsonObject, Ways } from "./ways.ts"
 * @import { Step } from "./script.ts"
 */

const DEFAULT_CAPABILITIES = {
  loadSession: true,
  promptCapabilities: { image: true, embeddedContext: true },
  sessionCapabilities: { list: {}, resume: {}, close: {} },
};

const COMMANDS = {
  sessionUpdate: "available_commands_update",
  availableCommands: [{ name: "plan", description: "Makes a plan" }],
};

/** What the agent answers: ACP's methods for agents, as its ways say. Everything is answered once, in order. */
export class Methods {
  #wire;
  #sessions;
  #ways;
  #initialized = false;
  /** @type {Map<string, Turn>} running turns by session */
  #turns = new Map();
  /** @type {Map<unknown, string>} sessions of running prompts by the prompt's id */
  #prompts = new Map();
  #own;

  /**
   * @param {Wire} wire
   * @param {Sessions} sessions
   * @param {Ways} ways
   * @param {Transcript} transcript
   */
  constructor(wire, sessions, ways, transcript) {
    this.#wire = wire;
    this.#sessions = sessions;
    this.#ways = ways;
    this.#own = new OwnMethods(wire, transcript);
  }

  /** @param {Message} message */
  async dispatch(message) {
    const { id, method = "", params = {} } = message;
    if (id === undefined) {
      this.#notified(method, params);
      return;
    }
    try {
      if (!this.#initialized && method !== "initialize") throw new Refusal(-32600, "Not initialized.");
      const handle = this.#handlers[method] ?? this.#own.handlers[method];
      if (!handle || !this.#offers(method)) throw noSuchMethod(method);
      await handle(params, id);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#wire.send({ id, error: error.body });
    }
  }

  /** @type {Record<string, (params: any, id: unknown) => void | Promise<void>>} */
  #handlers = {
    initialize: async (_params, id) => {
      if (this.#ways.neverInitialize) return;
      if (this.#ways.initializeDelay) {
        await new Promise((resolve) => setTimeout(resolve, this.#ways.initializeDelay));
      }
      this.#initialized = true;
      this.#reply(id, "initialize", {
        protocolVersion: 1,
        agentCapabilities: this.#capabilities,
        authMethods: this.#ways.authMethods ?? [],
        agentInfo: { name: "scripted-agent", version: "1.0.0" },
      });
    },

    authenticate: (params, id) => {
      const known = this.#ways.authMethods?.some((method) => method.id === params.methodId);
      if (!known) throw badParams(`There is no way to authenticate called ${params.methodId}.`);
      this.#sessions.logIn(true);
      this.#reply(id, "authenticate", {});
    },

    logout: (_params, id) => {
      this.#sessions.logIn(false);
      this.#reply(id, "logout", {});
    },

    "session/new": async (params, id) => {
      if (this.#ways.neverNew) return;
      this.#checkLogin();
      this.#checkPlace(params);
      if (this.#ways.newAfterFile) await untilThere(this.#ways.newAfterFile);
      const session = this.#sessions.create(params);
      const { before = [], after = [] } = this.#ways.newSessionUpdates ?? {};
      const commands = this.#ways.commandsWithNew;
      this.#together(session, {
        before: [...before, ...(commands === "before" || commands === "both" ? [COMMANDS] : [])],
        answer: () => this.#reply(id, "session/new", { sessionId: session.id, ...this.#state(session) }),
        after: [...(commands === "after" || commands === "both" ? [COMMANDS] : []), ...after],
      });
    },

    "session/load": async (params, id) => {
      if (this.#ways.neverRestore) return;
      const how = this.#ways.loadReplays ?? true;
      this.#checkLogin();
      this.#checkPlace(params);
      if (how === "error") throw new Refusal(-32603, "Invalid session identifier.");
      const kept = this.#sessions.kept().has(params.sessionId);
      if (!kept && how !== "accepts-unknown") this.#noSession(params.sessionId);
      const session = this.#sessions.open(params.sessionId, params);
      for (const update of how === true ? session.history : []) {
        const users = update.sessionUpdate === "user_message_chunk";
        if (!(users && this.#ways.loadNoUserMessages)) this.#update(session, update);
      }
      if (this.#ways.loadAsks) {
        const toolCall = { toolCallId: "asked-in-load", title: "Left over" };
        const options = [{ optionId: "allow", name: "Allow", kind: "allow_once" }];
        const question = { sessionId: session.id, toolCall, options };
        await this.#wire.request("session/request_permission", question).answer;
      }
      this.#together(session, {
        ...this.#ways.loadUpdates,
        answer: () => this.#reply(id, "session/load", this.#state(session)),
      });
    },

    "session/resume": (params, id) => {
      if (this.#ways.neverRestore) return;
      if (this.#ways.resumeMissing) throw noSuchMethod("session/resume");
      this.#checkLogin();
      if (!this.#sessions.kept().has(params.sessionId)) this.#noSession(params.sessionId);
      const session = this.#sessions.open(params.sessionId, params);
      this.#reply(id, "session/resume", this.#state(session));
    },

    "session/fork": (params, id) => {
      const origin = this.#session(params);
      const session = this.#sessions.create(params);
      for (const update of origin.history) this.#sessions.remember(session, update);
      this.#reply(id, "session/fork", { sessionId: session.id, ...this.#state(session) });
    },

    "session/list": (params, id) => {
      const sessions = [...this.#sessions.kept()]
        .filter(([, { cwd }]) => typeof params.cwd !== "string" || params.cwd === cwd)
        .map(([sessionId, { cwd }]) => ({ sessionId, cwd }));
      this.#reply(id, "session/list", { sessions });
    },

    "session/close": (params, id) => {
      const session = this.#session(params);
      this.#turns.get(session.id)?.cancel();
      this.#sessions.live.delete(session.id);
      this.#reply(id, "session/close", {});
    },

    "session/delete": (params, id) => {
      this.#sessions.delete(params.sessionId);
      this.#reply(id, "session/delete", {});
    },

    "session/set_mode": (params, id) => {
      const session = this.#session(params);
      const { modeId } = params;
      if (!this.#ways.modes) throw noSuchMethod("session/set_mode");
      if (!this.#ways.modes.availableModes.some((mode) => mode.id === modeId)) {
        throw badParams(`There is no mode ${modeId}.`);
      }
      if (modeId === this.#ways.refuseMode) throw new Refusal(-32603, `Mode ${modeId} is refused.`);
      session.mode = modeId;
      this.#reply(id, "session/set_mode", {});
    },

    "session/set_config_option": (params, id) => {
      const session = this.#session(params);
      const { configId, value } = params;
      const option = session.options?.find((candidate) => candidate.id === configId);
      if (!option) throw badParams(`There is no option ${configId}.`);
      if (configId === this.#ways.refuseOption) throw new Refusal(-32603, `Option ${configId} is refused.`);
      // An option without a list of values takes any.
      const values = option.options?.map((choice) => choice.value);
      if (values && !values.includes(value)) throw badParams(`Option ${configId} cannot be ${value}.`);
      option.currentValue = value;
      this.#reply(id, "session/set_config_option", { configOptions: session.options });
    },

    "session/prompt": async (params, id) => {
      const session = this.#session(params);
      if (this.#turns.has(session.id)) throw new Refusal(-32603, "A turn is running in this session.");
      for (const content of params.prompt) {
        this.#sessions.remember(session, { sessionUpdate: "user_message_chunk", content });
      }
      const turn = new Turn(this.#wire, this.#sessions, session, this.#ways, { id, prompt: params.prompt });
      this.#turns.set(session.id, turn);
      this.#prompts.set(id, session.id);
      const ending = await turn.run(this.#scriptFor(params.prompt));
      this.#turns.delete(session.id);
      this.#prompts.delete(id);
      if (ending !== "never") {
        if ("error" in ending) this.#wire.send({ id, error: ending.error });
        else this.#reply(id, "session/prompt", ending.result);
      }
      this.#wire.release();
      for (const update of turn.late) this.#update(session, update);
    },
  };

  get #capabilities() {
    return this.#ways.capabilities ?? DEFAULT_CAPABILITIES;
  }

  /**
   * Methods that ACP ties to a capability are unknown without it.
   * @param {string} method
   */
  #offers(method) {
    const capabilities = /** @type {any} */ (this.#capabilities);
    const { sessionCapabilities = {}, auth = {} } = capabilities;
    switch (method) {
      case "session/load":
        return capabilities.loadSession === true;
      case "session/resume":
      case "session/list":
      case "session/close":
      case "session/delete":
      case "session/fork":
        return Boolean(sessionCapabilities[method.slice("session/".length)]);
      case "logout":
        return Boolean(auth.logout);
      default:
        return true;
    }
  }

  /**
   * @param {string} method
   * @param {any} params
   */
  #notified(method, params) {
    if (method === "session/cancel") this.#turns.get(params.sessionId)?.cancel();
    if (method === "$/cancel_request") {
      const { requestId } = params;
      const session = this.#prompts.get(requestId);
      if (session !== undefined) this.#turns.get(session)?.cancel();
      this.#own.cancel(requestId);
    }
  }

  /**
   * @param {unknown} id
   * @param {string} method
   * @param {JsonObject} result
   */
  #reply(id, method, result) {
    this.#wire.send({ id, result: { ...result, ...this.#ways.foreignFields?.[method] } });
  }

  /**
   * @param {Session} session
   * @param {JsonObject} update
   */
  #update(session, update) {
    this.#wire.send({ method: "session/update", params: { sessionId: session.id, update } });
  }

  /**
   * An answer and updates around it, in one write.
   * @param {Session} session
   * @param {{ before?: JsonObject[], answer: () => void, after?: JsonObject[] }} what
   */
  #together(session, { before = [], answer, after = [] }) {
    this.#wire.hold();
    for (const update of before) this.#update(session, update);
    answer();
    for (const update of after) this.#update(session, update);
    this.#wire.release();
  }

  /**
   * What a session's answers say of it.
   * @param {Session} session
   */
  #state({ mode, options }) {
    return {
      ...(this.#ways.modes ? { modes: { ...this.#ways.modes, currentModeId: mode } } : {}),
      ...(options ? { configOptions: options } : {}),
    };
  }

  /** @param {{ sessionId?: string }} params */
  #session({ sessionId = "" }) {
    return this.#sessions.live.get(sessionId) ?? this.#noSession(sessionId);
  }

  /**
   * @param {string} sessionId
   * @returns {never}
   */
  #noSession(sessionId) {
    throw new Refusal(-32002, "There is no such session.", { sessionId });
  }

  #checkLogin() {
    if (!this.#ways.needsAuth || this.#sessions.loggedIn) return;
    throw new Refusal(-32000, "Authentication required", { authMethods: this.#ways.authMethods ?? [] });
  }

  /** @param {any} params */
  #checkPlace({ cwd, mcpServers }) {
    if (typeof cwd !== "string" || !isAbsolute(cwd)) throw badParams("cwd is an absolute path.");
    if (!Array.isArray(mcpServers)) throw badParams("mcpServers is an array.");
  }

  /**
   * The last text that is a script is one: what a hall puts in front of it is no part of it.
   * @param {any[]} prompt
   * @returns {Step[]}
   */
  #scriptFor(prompt) {
    const scripted = prompt.findLast(({ type, text }) => type === "text" && text.startsWith("[{"));
    if (scripted) return JSON.parse(scripted.text);
    if (this.#ways.script) return this.#ways.script;
    const text = prompt.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join(" ");
    const middle = Math.ceil(text.length / 2);
    return [{ say: ["echo: ", text.slice(0, middle), text.slice(middle)].filter((part) => part !== "") }];
  }
}

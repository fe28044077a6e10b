import { randomUUID } from "node:crypto";
import { AgentSide, type Call } from "../../acp/agent-side.ts";
import {
  absolutePath,
  additionalDirectories,
  type Fields,
  isFields,
  mcpServers,
  requiredArray,
  requiredString,
} from "../../acp/checks.ts";
import { promptBlocks } from "../../acp/content.ts";
import { invalidParams, invalidRequest, sessionNotFound } from "../../acp/errors.ts";
import { AgentMethod, CANCEL } from "../../acp/methods.ts";
import type { Clock } from "../../ground/clock.ts";
import { version } from "../../ground/version.ts";
import type { Transport } from "../../wire/transport.ts";
import type { AgentProcess } from "../process.ts";
import type { Adapter, AdapterSettings, ChildExit, Command } from "./adapter.ts";
import { ClientVoice } from "./client-voice.ts";
import { Conversation } from "./conversation.ts";
import { FORK_SESSION, type Opening } from "./opening.ts";

export interface RunnerParts {
  adapter: Adapter<unknown>;
  settings: AdapterSettings;
  clock: Clock;
  /** Bytes of the longest line, of the client and of a child. */
  lineLimit: number;
  /** ms that a session may take to open. */
  openWithin: number;
  /** ms between the steps of a cancel; 0: somebody else climbs them. */
  cancelGrace: number;
  /** Throws `spawn_failed`. */
  spawn(command: Command, cwd: string): AgentProcess;
  mask?(text: string): string;
  /** What a program calls a session, kept from one life of a runner to the next. */
  remember?(sessionId: string, native: string): void;
  recall?(sessionId: string): string | undefined;
  noticed(what: string, detail?: unknown): void;
  /** A session's child has ended unasked. True: whoever is told answers what is open. */
  lost?(exit: ChildExit): boolean;
  /** The client will send nothing more. */
  ended?(): void;
}

/**
 * Runs an adapter as an ACP agent for one client: sessions, and the children behind them. The one place where an
 * adapter meets processes and time.
 */
export class Runner {
  readonly #parts: RunnerParts;
  readonly #side: AgentSide;
  readonly #voice: ClientVoice;
  readonly #open = new Map<string, Conversation>();
  readonly #all = new Set<Conversation>();
  /** The latest child: what is told of "the process" of an adapter is told of it. */
  #latest: AgentProcess | undefined;
  #client: Fields = {};

  constructor(transport: Transport, parts: RunnerParts) {
    this.#parts = parts;
    const limits = { lineBefore: parts.lineLimit, line: parts.lineLimit, initializeWithin: undefined };
    this.#side = new AgentSide(
      transport,
      limits,
      {
        initialize: (params) => Promise.resolve(this.#initialize(params)),
        request: (call) => this.#request(call),
        notification: (method, params) => this.#notification(method, params),
        cancelled: (call) => {
          for (const conversation of this.#all) if (conversation.takeBack(call)) return;
        },
        answered: () => {},
        allAnswered: () => {},
        ended: () => parts.ended?.(),
        closed: () => parts.ended?.(),
        noticed: (what, error) => parts.noticed(what, error),
      },
      parts.clock,
    );
    this.#voice = new ClientVoice(this.#side.peer);
  }

  start(): void {
    this.#side.start();
  }

  get latest(): AgentProcess | undefined {
    return this.#latest;
  }

  /** Children that run. */
  get children(): AgentProcess[] {
    return [...this.#all].flatMap(({ child }) => child ?? []);
  }

  /** Ends every session with its child. Resolves when they are gone. */
  async stop(how: "stop" | "kill" = "stop"): Promise<void> {
    await Promise.all([...this.#all].map((conversation) => conversation.close(how)));
  }

  #initialize(params: Fields): Fields {
    const { adapter, settings } = this.#parts;
    this.#client = isFields(params.clientCapabilities) ? params.clientCapabilities : {};
    const capabilities = adapter.capabilities?.(settings) ?? {};
    const sessions = isFields(capabilities.sessionCapabilities) ? capabilities.sessionCapabilities : {};
    return {
      protocolVersion: 1,
      agentInfo: { name: adapter.name, title: adapter.title, version: version() },
      agentCapabilities: {
        ...capabilities,
        sessionCapabilities: {
          ...sessions,
          close: {},
          ...(adapter.listSessions ? { list: {} } : {}),
          ...(adapter.forkSession ? { fork: {} } : {}),
        },
      },
      authMethods: this.#authMethods,
    };
  }

  get #authMethods(): Fields[] {
    const { adapter, settings } = this.#parts;
    return adapter.authMethods?.(settings, this.#client) ?? [];
  }

  #request(call: Call): boolean {
    const { adapter, settings } = this.#parts;
    switch (call.method) {
      case AgentMethod.newSession:
        void this.#openSession(call, "new");
        return true;
      case AgentMethod.loadSession:
        void this.#openSession(call, "load");
        return true;
      case AgentMethod.resumeSession:
        void this.#openSession(call, "resume");
        return true;
      case FORK_SESSION:
        if (!adapter.forkSession) return false;
        void this.#openSession(call, "fork");
        return true;
      case AgentMethod.listSessions:
        if (!adapter.listSessions) return false;
        adapter.listSessions(call.params, settings).then(
          (result) => call.reply(result),
          (error: unknown) => call.fail(error),
        );
        return true;
      case AgentMethod.authenticate:
        throw this.#loginElsewhere();
      case AgentMethod.closeSession:
        this.#close(call);
        return true;
      default:
        return this.#inSession(call);
    }
  }

  #inSession(call: Call): boolean {
    const { sessionId } = call.params;
    if (typeof sessionId !== "string") return false;
    if (call.method === AgentMethod.prompt) promptBlocks(requiredArray(call.params, "prompt"));
    this.#conversation(sessionId).request(call);
    return true;
  }

  #conversation(sessionId: string): Conversation {
    const conversation = this.#open.get(sessionId);
    if (!conversation) throw sessionNotFound(sessionId);
    return conversation;
  }

  #notification(method: string, params: Fields): void {
    const conversation = this.#open.get(String(params.sessionId));
    if (method === CANCEL) conversation?.cancel();
    else conversation?.notification(method, params);
  }

  #close(call: Call): void {
    const conversation = this.#conversation(requiredString(call.params, "sessionId"));
    // Answered at once: who closes a session does not want to wait for a program to end.
    void conversation.close();
    call.reply({});
  }

  async #openSession(call: Call, how: Opening["how"]): Promise<void> {
    const { adapter, settings } = this.#parts;
    try {
      const opening = this.#openingOf(call.params, how);
      if ((how === "load" || how === "resume") && this.#open.has(opening.id))
        throw invalidRequest("This session is open already; close it first.");
      const history = how === "load" && adapter.history ? await adapter.history(opening, settings) : [];
      if (history === undefined) throw sessionNotFound(opening.id);
      this.#converse(opening).open(call, history);
    } catch (error) {
      call.fail(error);
    }
  }

  #openingOf(params: Fields, how: Opening["how"]): Opening {
    const named = how === "new" ? undefined : requiredString(params, "sessionId");
    const id = how === "new" || how === "fork" || named === undefined ? randomUUID() : named;
    const remembered = this.#parts.recall?.(named ?? id);
    return {
      how,
      id,
      ...(how === "fork" && named !== undefined ? { from: named } : {}),
      cwd: absolutePath(params, "cwd"),
      additionalDirectories: additionalDirectories(params),
      mcpServers: mcpServers(params),
      ...(remembered === undefined ? {} : { remembered }),
    };
  }

  #converse(opening: Opening): Conversation {
    const { adapter, settings, clock, lineLimit, openWithin, cancelGrace, noticed } = this.#parts;
    const conversation = new Conversation({
      adapter,
      settings,
      opening,
      client: this.#voice,
      clock,
      lineLimit,
      openWithin,
      cancelGrace,
      spawn: (command, cwd) => {
        this.#latest = this.#parts.spawn(command, cwd);
        return this.#latest;
      },
      mask: this.#parts.mask ?? ((text) => text),
      remember: (sessionId, native) => this.#parts.remember?.(sessionId, native),
      noticed,
      opened: (id) => this.#open.set(id, conversation),
      over: () => {
        this.#all.delete(conversation);
        if (this.#open.get(conversation.id) === conversation) this.#open.delete(conversation.id);
      },
      lost: (exit) => this.#parts.lost?.(exit) ?? false,
    });
    this.#all.add(conversation);
    return conversation;
  }

  #loginElsewhere(): Error {
    const { adapter } = this.#parts;
    return invalidParams(`${adapter.title} is logged in to in a terminal, where it runs.`, {
      authMethods: this.#authMethods,
    });
  }
}

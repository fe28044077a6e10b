import { randomUUID } from "node:crypto";
import { AgentSide, type Call } from "../../acp/agent-side.ts";
import {
  absolutePath,
  additionalDirectories,
  type Fields,
  mcpServers,
  requiredString,
} from "../../acp/checks.ts";
import { sessionNotFound } from "../../acp/errors.ts";
import { HallKey } from "../../acp/extensions.ts";
import { AgentMethod, CANCEL } from "../../acp/methods.ts";
import type { Clock } from "../../ground/clock.ts";
import type { Transport } from "../../wire/transport.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import { ClientLink } from "./client-link.ts";
import { HostedSession } from "./hosted-session.ts";
import type { Memory } from "./memory.ts";
import { agentFailure } from "./module-failure.ts";
import { OpenSessions } from "./open-sessions.ts";
import type { ToldSessions } from "./told/told-sessions.ts";

export interface HostParts {
  /** Rejects with what keeps the module from being an agent. */
  agent: Promise<AgentDefinition>;
  memory: Memory;
  /** What sessions are loaded and listed from; undefined: whoever starts this does that itself. */
  told?: ToldSessions | undefined;
  clock: Clock;
  /** ms that a cancelled turn has to end; without it whoever started this ends what does not. */
  cancelGrace?: number | undefined;
  /** Of this package: what an agent without a version of its own shows. */
  version: string;
  /** Bytes of the longest line, the client's and ours. */
  lineLimit: number;
  /** Paths of the agent's own files begin so: errors name a line in one of them. */
  folder: string;
  notice(what: string): void;
  /** Nobody is there any more: turns were cancelled and answered. */
  ended?(): void;
}

/** ms in which what a client that is gone had asked is still answered. */
const ANSWER_WITHIN_MS = 5_000;

/** An agent that is written as code, served as ACP to one client. */
export class Host {
  readonly #parts: HostParts;
  readonly #side: AgentSide;
  readonly #sessions = new OpenSessions();
  #leaving = false;
  /** Its sessions are closed; only answers are owed. */
  #left = false;
  #ended = false;

  constructor(transport: Transport, parts: HostParts) {
    this.#parts = parts;
    // Whoever asks for it gets the reason with its `initialize`.
    parts.agent.catch(() => {});
    const limits = { lineBefore: parts.lineLimit, line: parts.lineLimit, initializeWithin: undefined };
    this.#side = new AgentSide(
      transport,
      limits,
      {
        initialize: () => this.#introduction(),
        request: (call) => this.#request(call),
        notification: (method, { sessionId }) => {
          if (method === CANCEL) this.#sessions.find(sessionId)?.cancel();
        },
        cancelled: (call) => this.#sessions.find(call.params.sessionId)?.takeBack(call),
        answered: () => {},
        allAnswered: () => {
          if (this.#left) this.#end();
        },
        ended: () => this.#leave(),
        closed: () => {
          this.#leave();
          this.#end();
        },
        noticed: (what, error) => parts.notice(error === undefined ? what : `${what}: ${String(error)}`),
      },
      parts.clock,
    );
  }

  start(): void {
    this.#side.start();
  }

  async #introduction(): Promise<Fields> {
    const { memory, told, version } = this.#parts;
    const agent = await this.#agent();
    const { image = true, audio = true, files: embeddedContext = true } = agent.accepts ?? {};
    const lasts = memory.isLasting || agent.resume !== undefined;
    return {
      protocolVersion: 1,
      agentInfo: { name: agent.name, title: agent.title ?? agent.name, version: agent.version ?? version },
      agentCapabilities: {
        ...(told ? { loadSession: true } : {}),
        promptCapabilities: { image, audio, embeddedContext },
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: {
          close: {},
          delete: {},
          additionalDirectories: {},
          ...(lasts ? { resume: {} } : {}),
          ...(told ? { list: {} } : {}),
        },
      },
      authMethods: [],
    };
  }

  async #agent(): Promise<AgentDefinition> {
    try {
      return await this.#parts.agent;
    } catch (error) {
      throw this.#explain(error);
    }
  }

  #explain(error: unknown): Error {
    return agentFailure(error, this.#parts.folder);
  }

  #request(call: Call): boolean {
    const { told } = this.#parts;
    switch (call.method) {
      case AgentMethod.newSession:
        this.#answer(call, this.#new(call));
        return true;
      case AgentMethod.resumeSession:
        this.#answer(
          call,
          this.#sessions.again(call.params, (id) => this.#resume(id, call)),
        );
        return true;
      case AgentMethod.loadSession:
        if (told)
          this.#answer(
            call,
            this.#sessions.again(call.params, (id) => this.#load(id, call, told)),
          );
        return told !== undefined;
      case AgentMethod.listSessions:
        if (told) call.reply(told.list(call.params));
        return told !== undefined;
      case AgentMethod.closeSession:
        this.#answer(call, this.#close(this.#sessions.of(call.params)));
        return true;
      case AgentMethod.deleteSession:
        this.#answer(call, this.#delete(call));
        return true;
      case AgentMethod.prompt:
        this.#sessions.of(call.params).prompt(call);
        return true;
      default:
        return false;
    }
  }

  #answer(call: Call, result: Promise<Fields>): void {
    result.then(
      (fields) => call.reply(fields),
      (error: unknown) => call.fail(error),
    );
  }

  async #new({ params }: Call): Promise<Fields> {
    const session = await this.#opened(randomUUID(), params);
    this.#sessions.add(session);
    return { sessionId: session.id };
  }

  async #resume(id: string, { params }: Call): Promise<HostedSession> {
    const session = await this.#opened(id, params);
    if (!(await this.#isKnown(session))) throw sessionNotFound(id);
    return session;
  }

  /** Tells again what was told. Whether the agent knows it too is another matter, of which the client is told. */
  async #load(id: string, { params }: Call, told: ToldSessions): Promise<HostedSession> {
    if (!told.has(id)) throw sessionNotFound(id);
    const session = await this.#opened(id, params);
    const isKnown = await this.#isKnown(session);
    const memoryLost = { sessionUpdate: "session_info_update", _meta: { [HallKey.bound]: "fresh" } };
    session.replay(isKnown ? [] : [memoryLost]);
    return session;
  }

  async #isKnown(session: HostedSession): Promise<boolean> {
    const agent = await this.#agent();
    return this.#asked(() => agent.resume?.(session) ?? session.recall() !== undefined);
  }

  /** What the module says; what it throws is explained. */
  async #asked<T>(ask: () => T | Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      throw this.#explain(error);
    }
  }

  async #opened(id: string, params: Fields): Promise<HostedSession> {
    const { readTextFile, writeTextFile, terminal } = this.#side.capabilities;
    const { lineLimit, memory, clock, cancelGrace } = this.#parts;
    const where = {
      cwd: absolutePath(params, "cwd"),
      additionalDirectories: additionalDirectories(params),
    };
    const told = this.#parts.told?.of(id, where);
    return new HostedSession({
      id,
      ...where,
      mcpServers: mcpServers(params),
      client: { readFile: readTextFile, writeFile: writeTextFile, terminal },
      agent: await this.#agent(),
      link: new ClientLink(this.#side.peer, id, lineLimit, (update) => told?.add(update)),
      memory,
      told,
      patience: { clock, cancelGrace },
      explain: (error) => this.#explain(error),
    });
  }

  /** Its prompt is answered first. What it remembers stays. */
  async #close(session: HostedSession): Promise<Fields> {
    this.#sessions.remove(session);
    await session.close();
    return {};
  }

  async #delete({ params }: Call): Promise<Fields> {
    const id = requiredString(params, "sessionId");
    const session = this.#sessions.find(id);
    if (session) await this.#close(session);
    this.#parts.memory.forget(id);
    this.#parts.told?.forget(id);
    return {};
  }

  /** Nobody asks for more: turns end, what was asked is answered, and that is the end. */
  #leave(): void {
    if (this.#leaving) return;
    this.#leaving = true;
    const { clock } = this.#parts;
    const ends = this.#sessions.all().map((session) => session.close("departure"));
    void Promise.allSettled(ends).then(() => {
      this.#left = true;
      if (!this.#side.owesAnswers) this.#end();
      else clock.after(ANSWER_WITHIN_MS, () => this.#end());
    });
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    const { transport } = this.#side.peer;
    this.#side.peer.close();
    transport.onDrain(() => this.#parts.ended?.());
  }
}

import { randomUUID } from "node:crypto";
import { AgentSide, type Call } from "../../acp/agent-side.ts";
import { absolutePath, type Fields, requiredString } from "../../acp/checks.ts";
import { RpcError, sessionNotFound } from "../../acp/errors.ts";
import { AgentMethod, CANCEL } from "../../acp/methods.ts";
import type { Transport } from "../../wire/transport.ts";
import { commands } from "./commands.ts";
import { DemoSession } from "./demo-session.ts";
import { modeState, readMode } from "./modes.ts";
import type { Pace } from "./pace.ts";
import { PROGRAMME } from "./programme.ts";
import { readPrompt } from "./prompt.ts";

export interface DemoAgentParts {
  pace: Pace;
  /** Of this package. */
  version: string;
  /** A line for whoever reads stderr. */
  notice(what: string): void;
}

/** What the ids of our sessions begin with. */
const ID_BEGINS = "demo-";
/** Bytes of a line. */
const LINE_BYTES = 32 * 1024 * 1024;

/**
 * The built-in agent, which needs no key and no network: it plays what an agent does, scene by scene, and says
 * so. Everything it claims to have done it has done.
 */
export class DemoAgent {
  readonly #side: AgentSide;
  readonly #parts: DemoAgentParts;
  readonly #sessions = new Map<string, DemoSession>();

  constructor(transport: Transport, parts: DemoAgentParts) {
    this.#parts = parts;
    const limits = { lineBefore: LINE_BYTES, line: LINE_BYTES, initializeWithin: undefined };
    this.#side = new AgentSide(
      transport,
      limits,
      {
        initialize: async () => this.#introduction(),
        request: (call) => this.#request(call),
        notification: (method, params) => this.#notification(method, params),
        cancelled: (call) => this.#takenBack(call),
        answered: () => {},
        allAnswered: () => {},
        ended: () => this.#leave(),
        closed: () => {},
        noticed: (what, error) => parts.notice(error === undefined ? what : `${what}: ${String(error)}`),
      },
      parts.pace.clock,
    );
  }

  start(): void {
    this.#side.start();
  }

  #introduction(): Fields {
    return {
      protocolVersion: 1,
      agentInfo: { name: "hall-demo", title: "Demo", version: this.#parts.version },
      agentCapabilities: { sessionCapabilities: { resume: {}, close: {} } },
      authMethods: [],
    };
  }

  #request(call: Call): boolean {
    switch (call.method) {
      case AgentMethod.newSession:
        this.#new(call);
        return true;
      case AgentMethod.resumeSession:
        this.#resume(call);
        return true;
      case AgentMethod.closeSession:
        this.#close(call);
        return true;
      case AgentMethod.setMode:
        this.#setMode(call);
        return true;
      case AgentMethod.prompt:
        this.#prompt(call);
        return true;
      default:
        return false;
    }
  }

  #notification(method: string, { sessionId }: Fields): void {
    if (method === CANCEL) this.#cancel(sessionId);
  }

  /** The client takes a request back; only a prompt is open for long enough. */
  #takenBack({ method, params }: Call): void {
    if (method === AgentMethod.prompt) this.#cancel(params.sessionId);
  }

  /** The prompt under way then answers that it was cancelled; without one there is nothing to do. */
  #cancel(sessionId: unknown): void {
    if (typeof sessionId === "string") void this.#sessions.get(sessionId)?.cancel();
  }

  #new(call: Call): void {
    const session = this.#open(call, `${ID_BEGINS}${randomUUID()}`, true);
    call.reply({ sessionId: session.id, modes: modeState(session.mode) });
    session.show(menu());
  }

  /** There is nothing to remember, so that a session of any demo agent can be taken up here, whole. */
  #resume(call: Call): void {
    const id = requiredString(call.params, "sessionId");
    if (!id.startsWith(ID_BEGINS)) throw sessionNotFound(id);
    const session = this.#sessions.get(id) ?? this.#open(call, id, false);
    call.reply({ modes: modeState(session.mode) });
    session.show(menu());
  }

  #open({ params }: Call, id: string, isFresh: boolean): DemoSession {
    const cwd = absolutePath(params, "cwd");
    const session = new DemoSession({ id, cwd, isFresh, pace: this.#parts.pace, peer: this.#side.peer });
    this.#sessions.set(id, session);
    return session;
  }

  #close(call: Call): void {
    const session = this.#session(call);
    this.#sessions.delete(session.id);
    // Its prompt is answered first.
    void session.cancel().then(() => call.reply({}));
  }

  #setMode(call: Call): void {
    const session = this.#session(call);
    session.enter(readMode(requiredString(call.params, "modeId")));
    call.reply({});
  }

  #prompt(call: Call): void {
    const session = this.#session(call);
    session.prompt(readPrompt(call.params)).then(
      (stopReason) => call.reply({ stopReason }),
      (error: unknown) => {
        call.fail(error);
        if (!(error instanceof RpcError)) this.#parts.notice(`a scene met a defect: ${String(error)}`);
      },
    );
  }

  #session(call: Call): DemoSession {
    const id = requiredString(call.params, "sessionId");
    const session = this.#sessions.get(id);
    if (!session) throw sessionNotFound(id);
    return session;
  }

  /** Nobody listens any more: turns end and are answered, and with our output the process ends. */
  #leave(): void {
    const ends = [...this.#sessions.values()].map((session) => session.cancel());
    void Promise.all(ends).then(() => this.#side.peer.close());
  }
}

const menu = (): Fields => ({
  sessionUpdate: "available_commands_update",
  availableCommands: commands(PROGRAMME),
});

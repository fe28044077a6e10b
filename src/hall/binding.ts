import type { Fields } from "../acp/checks.ts";
import type { HallFailure } from "../acp/errors.ts";
import { ClientMethod } from "../acp/methods.ts";
import { kindOf, tellsState, updateBeginning } from "../acp/updates.ts";
import { type HookAnswer, type HookQuestion, refusedUnasked } from "../permission/hook-question.ts";
import { optionsOf, refusal } from "../permission/question.ts";
import type { IncomingRequest } from "../wire/peer.ts";
import { type Edit, splice } from "../wire/splice.ts";
import type { Agent, AgentSink } from "./agent.ts";
import { Settings } from "./settings.ts";

/** A session, as its agent's words reach it: under the hall's session id, in order. */
export interface Bound {
  readonly id: string;
  readonly owner: string;
  /** Nothing runs, waits or asks in it. */
  readonly resting: boolean;
  /** One line of the session's stream, in up to two pieces, without its newline. */
  record(update: Fields, first: Buffer, rest?: Buffer): void;
  /** `toClient`: the edit that makes the line one about the hall's session. */
  request(request: IncomingRequest, params: Fields, toClient: Edit): boolean;
  withdrawn(request: IncomingRequest): void;
  /** `line`: as it goes to clients, without its newline. */
  notification(method: string, params: Fields, line: Buffer): void;
  readEnd(): void;
  /**
   * What is told from now on may have been told before: by lines of the journal from `from` on, which are left out;
   * until `readOn`.
   */
  readAgain(from: number): void;
  readOn(): void;
  /** A hook of the agent's asks, or wants no answer any more. */
  hookAsks(question: HookQuestion, asker: object, answer: (answer: HookAnswer) => void): void;
  hookGone(asker: object): void;
  failed(failure: HallFailure): void;
  gone(failure: HallFailure): void;
}

/**
 * A session bound to an agent session. While an old session is replayed by its agent, only what tells state
 * goes through: the history is the hall's own, and is there already. Closed, it lets nothing through.
 */
export class Binding implements AgentSink {
  readonly agent: Agent;
  readonly agentSession: string;
  readonly #session: Bound;
  readonly #hallId: string;
  /** How a line about the hall's session begins. */
  readonly #beginning: Buffer;
  #phase: "replaying" | "open" | "closed";
  /** It said something since its last read ended. */
  #spoke = false;
  #lastLineAt: number;
  /** What the agent offers, and what is in force in its session; a replay tells of what was. */
  settings = new Settings();
  /** A replay that told nothing of the user's words has restored nothing. */
  replayedUserMessage = false;

  constructor(agent: Agent, agentSession: string, session: Bound, phase: "replaying" | "open") {
    this.agent = agent;
    this.agentSession = agentSession;
    this.#session = session;
    this.#hallId = JSON.stringify(session.id);
    this.#beginning = Buffer.from(updateBeginning(session.id));
    this.#phase = phase;
    this.#lastLineAt = agent.lastLineAt;
  }

  get sessionId(): string {
    return this.#session.id;
  }

  get owner(): string {
    return this.#session.owner;
  }

  get resting(): boolean {
    return this.#session.resting;
  }

  /** When its agent last said something in this session, in the clock's monotonic ms. */
  get lastLineAt(): number {
    return this.agent.shared ? this.#lastLineAt : this.agent.lastLineAt;
  }

  /** The agent has answered: from now on everything that it says counts. `result`: with its modes and options. */
  open(result: Fields): void {
    if (this.#phase === "replaying") this.#phase = "open";
    this.settings.take(result.modes, result.configOptions);
  }

  /** Nothing goes through any more; what the agent still says of this session is dropped. */
  close(): void {
    this.#phase = "closed";
    this.agent.unbind(this.agentSession);
  }

  /** The edit that makes an agent's line one about the hall's session. */
  get #toClient(): Edit {
    return { path: ["params", "sessionId"], json: this.#hallId };
  }

  update(update: Fields, line: Buffer): void {
    if (this.#passes(update)) this.#session.record(update, splice(line, [this.#toClient]));
  }

  plainUpdate(update: Fields, rest: Buffer): void {
    if (this.#passes(update)) this.#session.record(update, this.#beginning, rest);
  }

  request(request: IncomingRequest, params: Fields): boolean {
    this.#spoke = true;
    if (this.#phase === "open") return this.#session.request(request, params, this.#toClient);
    if (request.method !== ClientMethod.requestPermission) return false;
    request.reply({ outcome: refusal(optionsOf(params)) });
    return true;
  }

  withdrawn(request: IncomingRequest): void {
    if (this.#phase !== "closed") this.#session.withdrawn(request);
  }

  notification(method: string, params: Fields, line: Buffer): void {
    this.#spoke = true;
    if (this.#phase === "open") this.#session.notification(method, params, splice(line, [this.#toClient]));
  }

  hookAsks(question: HookQuestion, asker: object, answer: (answer: HookAnswer) => void): void {
    if (this.#phase === "open") this.#session.hookAsks(question, asker, answer);
    else answer(refusedUnasked("The session is not open, so there is nobody to ask."));
  }

  hookGone(asker: object): void {
    if (this.#phase !== "closed") this.#session.hookGone(asker);
  }

  readEnd(): void {
    if (this.#spoke) this.#lastLineAt = this.agent.lastLineAt;
    this.#spoke = false;
    if (this.#phase !== "closed") this.#session.readEnd();
  }

  failed(failure: HallFailure): void {
    if (this.#phase !== "closed") this.#session.failed(failure);
  }

  gone(failure: HallFailure): void {
    if (this.#phase === "closed") return;
    this.#phase = "closed";
    this.#session.gone(failure);
  }

  #passes(update: Fields): boolean {
    this.#spoke = true;
    if (this.#phase === "closed") return false;
    const kind = kindOf(update);
    if (this.#phase === "open") {
      this.settings.see(kind, update);
      return true;
    }
    if (kind === "user_message_chunk") this.replayedUserMessage = true;
    return tellsState(kind);
  }
}

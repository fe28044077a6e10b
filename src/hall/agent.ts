import { type Fields, isFields, metaOf, resultOf } from "../acp/checks.ts";
import { ClientSide } from "../acp/client-side.ts";
import { type ErrorKind, failure, HallFailure, RpcError, recordedError } from "../acp/errors.ts";
import { HallKey } from "../acp/extensions.ts";
import { AgentMethod, ClientMethod } from "../acp/methods.ts";
import { updateOf } from "../acp/updates.ts";
import { MARK_VARIABLE } from "../agents/mark.ts";
import type { RunningAgent } from "../agents/running-agent.ts";
import type { Clock } from "../ground/clock.ts";
import { type HookAnswer, type HookQuestion, refusedUnasked } from "../permission/hook-question.ts";
import { optionsOf, refusal } from "../permission/question.ts";
import type { ErrorBody, Id } from "../wire/message.ts";
import type { IncomingRequest, Reply, Settle } from "../wire/peer.ts";
import { AgentTurns } from "./agent-turns.ts";
import { EarlyUpdates } from "./early-updates.ts";
import type { Rung } from "./ladder.ts";
import type { Occupant } from "./places.ts";

/** What an agent tells about one of its sessions; everything in the order in which it came. */
export interface AgentSink {
  /** Whose session it is. */
  readonly owner: string;
  /** The hall's own name of the session. */
  readonly sessionId: string;
  /** Nothing runs, waits or asks in it. */
  readonly resting: boolean;
  /** A `session/update`: `line` is the agent's, with the agent's session id in it. */
  update(update: Fields, line: Buffer): void;
  /** As `update`, for one that begins as nearly all do (`updateBeginning`): `rest` is the line from `update`'s value on. */
  plainUpdate(update: Fields, rest: Buffer): void;
  /** A request of the agent's. False: there is no such method. */
  request(request: IncomingRequest, params: Fields): boolean;
  withdrawn(request: IncomingRequest): void;
  /** A hook of its asks, by the per-run socket; or wants no answer any more. */
  hookAsks(question: HookQuestion, asker: object, answer: (answer: HookAnswer) => void): void;
  hookGone(asker: object): void;
  notification(method: string, params: Fields, line: Buffer): void;
  readEnd(): void;
  /** The agent broke the protocol in a way that cannot be mended; its process is being ended. */
  failed(failure: HallFailure): void;
  /** The process is over; nothing follows. */
  gone(failure: HallFailure): void;
}

export interface AgentParts {
  slot: string;
  /** It may serve several sessions at once. */
  shared: boolean;
  /** This hall's id, for a hall behind it. */
  hallId: string;
  clock: Clock;
  /** Bytes of a line; it holds for an agent that starts. */
  lineLimit(): number;
  /** What its environment says of the socket that its hooks ask on. */
  hookEnvironment: Readonly<Record<string, string>>;
  /** Milliseconds between the steps of the ladder; 0: never escalate. */
  cancelGrace(): number;
  /** Replaces what the hall knows to be secret. */
  mask(text: string): string;
  /** It serves a session of the hall from now on. */
  bound?(sessionId: string): void;
  /** It answered a prompt. */
  answered(): void;
  noticed(what: string, detail?: unknown): void;
}

/** What may wait for an agent beside one longest line. */
const UNREAD_BYTES = 1024 * 1024;
/** An agent that closed its stdin or stdout and does not exit is ended after this: it cannot be spoken with. */
const HALF_CLOSED_MS = 500;
const HALF_CLOSED_GRACES = { close: 0, terminate: 2_000 };

/**
 * A running agent: its process, spoken to as a client speaks to an agent. Serves the sessions that are bound to it:
 * one, or (`isolation: slot`) any number of its slot's.
 */
export class Agent {
  readonly process: RunningAgent;
  readonly slot: string;
  readonly shared: boolean;
  /** What it answered to `initialize`. */
  initialized: Fields = {};
  /** It was logged in by hand, which another process of the slot may not know. */
  loggedIn = false;
  /** It was kept warm, and was given to a session: it may have been dying just then. */
  wasWarm = false;
  /** When it last said something, in the clock's monotonic ms. */
  lastLineAt: number;
  /** Set by the session that has it for itself: whether that rests, and how it lets go. */
  occupant: Occupant | undefined;
  readonly #parts: AgentParts;
  readonly #lineLimit: number;
  readonly #side: ClientSide;
  readonly #sinks = new Map<string, AgentSink>();
  readonly #early: EarlyUpdates<AgentSink>;
  readonly #turns: AgentTurns;
  /** The hall's session of each agent session that there ever was in this process. */
  readonly #givenTo = new Map<string, string>();
  /** The agent sessions of requests that it has not answered. */
  readonly #askedFor = new Map<Id, string>();
  #noise = 0;
  #gone = false;
  #ready = false;
  #outdated = false;
  /** It cannot be spoken with any more, and is being ended for that. */
  #broken = false;
  #onGone: (() => void)[] = [];

  constructor(process: RunningAgent, parts: AgentParts) {
    this.process = process;
    this.slot = parts.slot;
    this.shared = parts.shared;
    this.#parts = parts;
    this.#lineLimit = parts.lineLimit();
    this.lastLineAt = parts.clock.monotonic();
    this.#early = new EarlyUpdates((what) => parts.noticed(what));
    this.#turns = new AgentTurns({
      clock: parts.clock,
      cancelGrace: parts.cancelGrace,
      signals: [() => process.interrupt(), () => process.terminate(), () => void process.kill()],
      emptied: () => void process.stop(),
    });
    this.#side = new ClientSide(process.transport, this.#lineLimit, {
      update: (sessionId, params, line) => {
        const sink = this.#sinks.get(sessionId);
        if (sink) sink.update(updateOf(params), line);
        else this.#early.hold(sessionId, line.length, (late) => late.update(updateOf(params), line));
      },
      request: (request) => this.#request(request),
      withdrawn: (request) => {
        for (const sink of this.#sinks.values()) sink.withdrawn(request);
      },
      notification: (method, params, line) => this.#notification(method, params, line),
      noise: (line) => this.#hearNoise(line),
      tooLong: (limit) =>
        this.#breakOff(`The agent of slot ${this.slot} sent a line of over ${limit} bytes.`),
      readEnd: () => {
        this.lastLineAt = parts.clock.monotonic();
        for (const sink of this.#sinks.values()) sink.readEnd();
      },
      ended: () => this.#expectExit("stdout"),
      unheard: () => this.#expectExit("stdin"),
      noticed: (what, error) => parts.noticed(what, error),
    });
    process.onExit(() => this.#exited());
    this.#side.start();
  }

  /** What its environment says of the hall: its mark, and where its hooks ask. */
  get environment(): Readonly<Record<string, string>> {
    const { mark } = this.process;
    return { ...(mark === undefined ? {} : { [MARK_VARIABLE]: mark }), ...this.#parts.hookEnvironment };
  }

  get gone(): boolean {
    return this.#gone;
  }

  /** It is gone, and not because it was to go: it went by itself, before its time or in a turn, or it broke. */
  get crashed(): boolean {
    if (!this.#gone) return false;
    const { asked, exit, failure: why } = this.process;
    // What never began has nothing to mend, and costs next to nothing to try again.
    if (why?.kind === "spawn_failed") return false;
    return this.#broken || (!asked && (exit?.code !== 0 || !this.#ready || this.#turns.size > 0));
  }

  /** It owes an answer. */
  get busy(): boolean {
    return this.#side.peer.waits;
  }

  /** So much waits for it that it cannot be listening. */
  get deaf(): boolean {
    return this.process.transport.backlog > this.#lineLimit + UNREAD_BYTES;
  }

  get capabilities(): Fields {
    return isFields(this.initialized.agentCapabilities) ? this.initialized.agentCapabilities : {};
  }

  /** It is a hall itself: its sessions outlive the connection, and it takes the keys that halls give one another. */
  get isHall(): boolean {
    const { agentInfo } = this.initialized;
    return (
      isFields(agentInfo) &&
      agentInfo.name === "hall" &&
      Array.isArray(metaOf(this.capabilities)[HallKey.slots])
    );
  }

  /** True when the agent said that it has this ability of `sessionCapabilities`. */
  can(ability: string): boolean {
    const { sessionCapabilities } = this.capabilities;
    return isFields(sessionCapabilities) && isFields(sessionCapabilities[ability]);
  }

  /** Calls once when the process is over; at once if it is. */
  onGone(ring: () => void): void {
    if (this.#gone) ring();
    else this.#onGone.push(ring);
  }

  /**
   * `initialize`, within `within` ms. Rejects with `init_timeout`, `agent_exited` or `agent_protocol`; the process is
   * ended then, as it is when `signal` says that nobody wants it any more.
   */
  initialize(params: Fields, within: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const kill = (): void => void this.process.kill();
      signal?.addEventListener("abort", kill, { once: true });
      const alarm = this.#parts.clock.after(within, () => {
        reject(this.failure("init_timeout", `did not answer initialize within ${within} ms`));
        kill();
      });
      const stop = (): void => {
        alarm();
        signal?.removeEventListener("abort", kill);
      };
      this.#side.request(AgentMethod.initialize, params, (reply) => {
        stop();
        if (reply.ok) {
          this.initialized = resultOf(reply.result);
          this.#ready = true;
          resolve();
          return;
        }
        this.onGone(() =>
          reject(this.process.failure ?? this.failure("agent_exited", "ended before it was initialised")),
        );
        if (reply.lost) return;
        reject(this.failure("agent_protocol", `refused initialize (${reply.error.message})`));
        kill();
      });
    });
  }

  /**
   * Asks for a session whose name only the answer tells. `named` runs in order with what the agent sends: what it
   * told of the session before waits for whoever `named` binds to it. `via`: the halls that it was asked for through.
   */
  openSession(params: Fields, via: readonly string[], named: (reply: Reply) => void): void {
    this.#early.expect();
    const path = this.isHall ? { _meta: { [HallKey.via]: [...via, this.#parts.hallId] } } : {};
    this.#side.request(AgentMethod.newSession, { ...params, ...path }, (reply) => {
      named(reply);
      this.#early.named();
    });
  }

  /** From now on what the agent tells about this session goes to `sink`. */
  bind(sessionId: string, sink: AgentSink): void {
    this.#sinks.set(sessionId, sink);
    this.#parts.bound?.(sink.sessionId);
    this.#side.expectUpdates(sessionId, (update, rest) => sink.plainUpdate(update, rest));
    this.#early.deliver(sessionId, sink);
  }

  unbind(sessionId: string): void {
    this.#sinks.delete(sessionId);
    this.#side.expectNoUpdates();
  }

  /** From now on, for as long as the process lives, this agent session is that of `ours`, the hall's name. */
  give(sessionId: string, ours: string): void {
    this.#givenTo.set(sessionId, ours);
  }

  /** It has given this agent session to another session than `ours` already, or is just asked to. */
  gaveToAnother(sessionId: string, ours: string): boolean {
    const owner = this.#givenTo.get(sessionId) ?? this.#sinks.get(sessionId)?.sessionId;
    return owner !== undefined && owner !== ours;
  }

  /** Asks; answers the id under which it was asked. */
  request(method: string, params: Fields, settle: Settle): Id {
    const { sessionId } = params;
    if (!this.shared || typeof sessionId !== "string") return this.#side.peer.request(method, params, settle);
    const id = this.#side.peer.request(method, params, (reply) => {
      this.#askedFor.delete(id);
      settle(reply);
    });
    this.#askedFor.set(id, sessionId);
    return id;
  }

  /** No new turn or session is to go there. */
  get retired(): boolean {
    return this.#outdated || this.#turns.retired;
  }

  /** The hall's sessions that are bound to it. */
  get sessions(): string[] {
    return [...this.#sinks.values()].map(({ sessionId }) => sessionId);
  }

  /** Nothing runs in it, or is bound to it. */
  get unused(): boolean {
    return this.#turns.size === 0 && this.#sinks.size === 0;
  }

  /** Since when nothing goes on in one that is shared, in the clock's monotonic ms; undefined: something does. */
  get idleSince(): number | undefined {
    const works = this.busy || [...this.#sinks.values()].some((sink) => !sink.resting);
    return works ? undefined : this.lastLineAt;
  }

  /** A reload has changed what it was started by: nothing new goes there. Its slot ends it when it rests. */
  outdate(): void {
    this.#outdated = true;
  }

  /** It ends as soon as nothing runs in it; nothing new goes there. Sessions that are bound to it move on. */
  retire(): void {
    this.#turns.retire();
  }

  /**
   * As `rungs`, for whoever does not want to wait: SIGKILL alone, or nothing where that would hurt other sessions. What
   * runs at another hall no signal of ours reaches: it is cancelled there.
   */
  forcibleRungs(sessionId: string): Rung[] {
    if (this.isHall) return this.rungs(sessionId);
    return this.shared ? [] : [() => void this.process.kill()];
  }

  /**
   * Ends it with SIGKILL, unless turns that nobody gave up run in it: then nothing new goes there, and it ends behind
   * them. Resolves as `RunningAgent.kill` does; at once where it goes on. Another hall ends its agents itself.
   */
  async killIfUnwanted(): Promise<void> {
    if (this.isHall) return;
    if (!this.shared || !this.#turns.wanted) await this.process.kill();
    else this.retire();
  }

  /** What may be done to end a session's turn, the gentlest first: nothing that hurts the other sessions'. */
  rungs(sessionId: string): Rung[] {
    const { process } = this;
    const tell = (): void => this.#side.cancel(sessionId);
    if (this.shared) return [tell];
    return [tell, () => process.interrupt(), () => process.terminate(), () => void process.kill()];
  }

  /**
   * A session is done with it, or gives up what it does there. Resolves when nothing of the session goes on in it: a
   * process of its own is gone then. In a shared one a turn that does not end goes on beside those of others.
   */
  leave(sessionId: string): Promise<void> {
    // A hall keeps the session when it is left, and its agent for as long as that may idle: it need not.
    if (this.isHall && !this.#gone && !this.shared)
      this.request(AgentMethod.closeSession, { sessionId }, () => {});
    if (!this.shared || this.#gone) return this.process.stop();
    this.unbind(sessionId);
    if (this.can("close")) this.request(AgentMethod.closeSession, { sessionId }, () => {});
    if (!this.#turns.has(sessionId)) return Promise.resolve();
    this.#turns.giveUp(sessionId);
    if (this.#turns.wanted || this.#parts.cancelGrace() === 0) return Promise.resolve();
    return new Promise((resolve) => this.onGone(resolve));
  }

  /** `session/prompt`, of the turn of this id; answers the id under which it was asked. */
  prompt(sessionId: string, turn: string, params: Fields, settle: Settle): Id {
    this.#turns.begin(sessionId);
    const keyed = this.isHall ? { ...params, _meta: { ...metaOf(params), [HallKey.turn]: turn } } : params;
    return this.request(AgentMethod.prompt, { ...keyed, sessionId }, (reply) => {
      settle(reply);
      if (!reply.ok && reply.lost) return;
      this.#parts.answered();
      this.#turns.end(sessionId);
    });
  }

  /** As `request`; rejects with the agent's own error, or with how it ended. */
  ask(method: string, params: Fields): Promise<Reply & { ok: true }> {
    return new Promise((resolve, reject) => {
      this.#side.request(method, params, (reply) => {
        if (reply.ok) resolve(reply);
        else if (reply.lost) this.onGone(() => reject(this.exitFailure()));
        else reject(this.errorOf(reply.error));
      });
    });
  }

  /** An error that it answered. A hall's own failure stays of its kind, and says that it is not of this hall. */
  errorOf(error: ErrorBody): RpcError {
    const known = this.isHall ? recordedError(error) : undefined;
    if (!(known instanceof HallFailure)) return new AgentError(error.code, error.message, error.data);
    const data = { ...resultOf(known.data), slot: this.slot };
    return failure(known.kind, `Behind slot ${this.slot}: ${known.message}`, data);
  }

  /** Tells it something; where it is deaf, that is dropped. */
  notify(method: string, params: Fields): void {
    if (this.deaf) this.#parts.noticed(`the agent takes nothing that it is sent; ${method} was dropped`);
    else this.#side.peer.notify(method, params);
  }

  /** A hook asks for the session that it names; or for the only one, or the only one in which something goes on. */
  hookAsks(question: HookQuestion, asker: object, answer: (answer: HookAnswer) => void): void {
    const { session } = question;
    const all = [...this.#sinks.values()];
    const likely = all.length > 1 && session === undefined ? all.filter((sink) => !sink.resting) : all;
    const named = session === undefined ? undefined : this.#sinks.get(session);
    const sink = named ?? (likely.length === 1 ? likely[0] : undefined);
    if (sink) sink.hookAsks(question, asker, answer);
    else answer(refusedUnasked("It is not known which session this is about; name it (session)."));
  }

  hookGone(asker: object): void {
    for (const sink of this.#sinks.values()) sink.hookGone(asker);
  }

  /** Says what happened to this agent, with the last that it said on stderr. */
  failure(kind: ErrorKind, what: string): HallFailure {
    const { exit } = this.process;
    const stderr = this.process.stderrTail().map(this.#parts.mask);
    // Node prints a page of addresses behind what ended it, most often that the heap was full.
    const last = stderr.find((line) => line.startsWith("FATAL ERROR: ")) ?? stderr.at(-1);
    const said = last ? ` Its last words: ${last}` : "";
    return failure(kind, `The agent of slot ${this.slot} ${what}.${said}`, {
      slot: this.slot,
      ...(typeof exit?.code === "number" ? { exitCode: exit.code } : {}),
      ...(exit?.signal ? { signal: exit.signal } : {}),
      stderr,
    });
  }

  exitFailure(): HallFailure {
    if (this.process.failure) return this.process.failure;
    const { exit } = this.process;
    const how = exit?.signal
      ? `was ended by ${exit.signal}`
      : `ended with exit code ${exit?.code ?? "unknown"}`;
    return this.failure("agent_exited", how);
  }

  #request(request: IncomingRequest): boolean {
    const params = isFields(request.params) ? request.params : {};
    const sessionId = params.sessionId ?? this.#sessionAskedFor(params.requestId);
    if (typeof sessionId === "string") {
      const sink = this.#sinks.get(sessionId);
      if (sink) return sink.request(request, params);
    } else {
      const [only] = this.#sinks.values();
      if (only && this.#sinks.size === 1) return only.request(request, params);
    }
    if (request.method === ClientMethod.requestPermission)
      request.reply({ outcome: refusal(optionsOf(params)) });
    else if (request.method === ClientMethod.createElicitation) request.reply({ action: "cancel" });
    else return false;
    return true;
  }

  /** The agent session that a request of ours to the agent is about. */
  #sessionAskedFor(requestId: unknown): string | undefined {
    return typeof requestId === "number" || typeof requestId === "string"
      ? this.#askedFor.get(requestId)
      : undefined;
  }

  /** A line that names no session is for all sessions of the process, if they are one owner's. */
  #notification(method: string, params: Fields, line: Buffer): void {
    const { sessionId } = params;
    if (typeof sessionId === "string") {
      this.#sinks.get(sessionId)?.notification(method, params, line);
      return;
    }
    const sinks = [...this.#sinks.values()];
    if (new Set(sinks.map(({ owner }) => owner)).size > 1) return;
    for (const sink of sinks) sink.notification(method, params, line);
  }

  #hearNoise(line: Buffer): void {
    this.#noise += 1;
    const text = this.#parts.mask(line.toString("utf8", 0, 500));
    this.#parts.noticed(`line ${this.#noise} on the agent's stdout that is no message: ${text}`);
  }

  #breakOff(what: string): void {
    const broken = failure("agent_protocol", what, { slot: this.slot, stderr: [] });
    this.#broken = true;
    for (const sink of this.#sinks.values()) sink.failed(broken);
    this.process.kill();
  }

  /** Most that close a pipe are just exiting. */
  #expectExit(closed: "stdin" | "stdout"): void {
    if (this.process.exit) return;
    const stop = this.#parts.clock.after(HALF_CLOSED_MS, () => {
      const failed = this.failure("agent_exited", `closed its ${closed} without exiting, and was ended`);
      this.#broken = true;
      for (const sink of [...this.#sinks.values()]) sink.failed(failed);
      void this.process.stop(HALF_CLOSED_GRACES);
    });
    this.onGone(stop);
  }

  #exited(): void {
    this.#gone = true;
    this.#turns.stop();
    const sinks = [...this.#sinks.values()];
    this.#sinks.clear();
    for (const sink of sinks) sink.gone(this.exitFailure());
    const rings = this.#onGone;
    this.#onGone = [];
    for (const ring of rings) ring();
  }
}

/** An error that an agent answered: it goes to the client as it came. */
export class AgentError extends RpcError {}

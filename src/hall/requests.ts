import fs from "node:fs";
import path from "node:path";
import type { Call } from "../acp/agent-side.ts";
import {
  absolutePath,
  additionalDirectories,
  type Fields,
  mcpServers,
  metaOf,
  optionalString,
  requiredArray,
  requiredString,
} from "../acp/checks.ts";
import { promptBlocks } from "../acp/content.ts";
import { errorWord, invalidParams, RpcError, requestCancelled, shuttingDown } from "../acp/errors.ts";
import { HallKey, HallMethod } from "../acp/extensions.ts";
import { AgentMethod, CANCEL, CANCEL_REQUEST, isExtension } from "../acp/methods.ts";
import { isFar } from "../agents/launcher.ts";
import type { Id } from "../wire/message.ts";
import { type Agent, AgentError } from "./agent.ts";
import { sessionInfo } from "./catalog.ts";
import type { Client } from "./client.ts";
import { refuseDeadlock } from "./deadlock.ts";
import type { Hall } from "./hall.ts";
import { relayAnswer, withoutHallKeys } from "./relays.ts";
import type { Session } from "./session.ts";
import type { Slot } from "./slot.ts";
import { SLOT_OPTION } from "./slot-menu.ts";
import type { TurnEnd } from "./turn.ts";
import type { SessionTurn } from "./turns.ts";
import { viaOf } from "./via.ts";

/** What one client asks of the hall, method by method. Whatever is wrong with it is thrown, and is its answer. */
export class Requests {
  /** The slot that the connection named for its sessions that name none; undefined: the first of the roster. */
  slot: string | undefined;
  readonly #hall: Hall;
  readonly #client: Client;
  /** How an open request is taken back. */
  readonly #takeBack = new Map<Call, () => void>();
  /** Sessions that are being opened, and that nobody but this connection would want. */
  readonly #openings = new Map<Call, () => void>();

  constructor(hall: Hall, client: Client) {
    this.#hall = hall;
    this.#client = client;
  }

  /** False: there is no such method. */
  take(call: Call): boolean {
    switch (call.method) {
      case HallMethod.ping:
        call.reply({});
        return true;
      case AgentMethod.newSession:
        this.#newSession(call);
        return true;
      case AgentMethod.loadSession:
        this.#load(call);
        return true;
      case AgentMethod.resumeSession:
        this.#resume(call);
        return true;
      case AgentMethod.listSessions:
        this.#list(call);
        return true;
      case AgentMethod.closeSession:
        this.#close(call);
        return true;
      case AgentMethod.deleteSession:
        this.#delete(call);
        return true;
      case AgentMethod.prompt:
        this.#prompt(call);
        return true;
      case AgentMethod.setMode:
        requiredString(call.params, "modeId");
        this.#relay(call);
        return true;
      case AgentMethod.setConfigOption:
        this.#setConfigOption(call);
        return true;
      case AgentMethod.authenticate:
      case AgentMethod.logout:
        this.#login(call);
        return true;
      default:
        if (this.#hall.control(call, this.#client)) return true;
        if (!isExtension(call.method) || typeof call.params.sessionId !== "string") return false;
        this.#relay(call);
        return true;
    }
  }

  notified(method: string, params: Fields): void {
    const { sessionId } = params;
    if (method === HallMethod.farewell) this.#client.farewell();
    if (typeof sessionId !== "string" || !this.#mayChange(sessionId)) return;
    const session = this.#hall.sessions.findLive(sessionId);
    if (method === CANCEL) session?.turns.cancelAll(optionalString(metaOf(params), HallKey.turn));
    else if (isExtension(method)) session?.relays.pass(method, params);
  }

  /** What is only told is passed over in silence where it may not be said. */
  #mayChange(sessionId: string): boolean {
    const { grant } = this.#client;
    return grant.may("prompt") && this.#hall.sessions.isSeen(grant, sessionId);
  }

  /** The client takes a request back. */
  takeBack(call: Call): void {
    this.#takeBack.get(call)?.();
  }

  answered(call: Call): void {
    this.#takeBack.delete(call);
  }

  /** The connection is over: what was only for it ends. */
  abandon(): void {
    for (const abort of this.#openings.values()) abort();
  }

  #newSession(call: Call): void {
    const { params } = call;
    const via = viaOf(params, this.#hall.id);
    const slot = this.#slotFor(params);
    const cwd = absolutePath(params, "cwd", slot.cwdForClients);
    mustBeThere(slot, cwd);
    this.#mayBegin();
    const key = optionalString(metaOf(params), HallKey.key);
    const opening = this.#hall.sessions.open({
      slot,
      cwd,
      additionalDirectories: additionalDirectories(params),
      mcpServers: mcpServers(params),
      owner: this.#client.grant.owner,
      via,
      ...(key === undefined ? {} : { key }),
    });
    if (key === undefined) this.#openings.set(call, opening.abort);
    this.#takeBack.set(call, () => {
      opening.abort();
      call.fail(requestCancelled("The new session"));
    });
    const opened = opening.opened.then(({ session, result }) => this.#opened(call, session, result));
    this.#later(
      call,
      opened.finally(() => this.#openings.delete(call)),
    );
  }

  #opened(call: Call, session: Session, result: Fields): void {
    if (this.#client.closed && this.#client.returns) {
      // It asks again under the same key; until its place is given up, the session is its.
      this.#client.sees(session.id);
      return;
    }
    if (call.answered || this.#client.closed) {
      this.#hall.sessions.leftBehind(session.id);
      return;
    }
    const meta = { ...metaOf(result), ...this.#place(session, 0), [HallKey.slot]: session.slot.name };
    call.reply({ ...result, sessionId: session.id, _meta: meta });
    this.#client.attach(session, call, { cursor: 0 });
  }

  #load(call: Call): void {
    this.#return(call, this.#returning(call), { cursor: 0 });
  }

  #resume(call: Call): void {
    const session = this.#returning(call);
    const cursor = this.#cursor(session, metaOf(call.params));
    this.#return(call, session, { cursor, again: cursor !== undefined });
  }

  #return(call: Call, session: Session, looking: { cursor: number | undefined; again?: boolean }): void {
    const { end } = session.stream;
    const answer = (): void => call.reply({ ...session.settingsResult, _meta: this.#place(session, end) });
    this.#client.attach(session, call, { ...looking, answer });
  }

  #list(call: Call): void {
    const { params } = call;
    const cwd = isGiven(params.cwd) ? absolutePath(params, "cwd") : undefined;
    const cursor = isGiven(params.cursor) ? requiredString(params, "cursor") : undefined;
    const { sessions, next } = this.#hall.sessions.list(this.#client.grant, cursor, cwd);
    call.reply({ sessions: sessions.map(sessionInfo), ...(next === undefined ? {} : { nextCursor: next }) });
  }

  #close(call: Call): void {
    const session = this.#session(call.params);
    this.#later(
      call,
      session.viewers.close(this.#client, () => call.reply({})),
    );
  }

  #delete(call: Call): void {
    const sessionId = requiredString(call.params, "sessionId");
    const { sessions } = this.#hall;
    // One of somebody else's is, for this client, not there.
    const deleted = sessions.isSeen(this.#client.grant, sessionId)
      ? sessions.delete(sessionId)
      : Promise.resolve();
    this.#later(
      call,
      deleted.then(() => call.reply({})),
    );
  }

  #prompt(call: Call): void {
    try {
      this.#accept(call);
    } catch (error) {
      const { sessionId } = call.params;
      const isThere = typeof sessionId === "string" && this.#hall.sessions.isThere(sessionId);
      this.#hall.events.emit("turn.refused", {
        client: this.#client.name,
        ...(isThere ? { sessionId } : {}),
        kind: errorWord(error),
      });
      throw error;
    }
  }

  #accept(call: Call): void {
    this.#mayBegin();
    const session = this.#session(call.params);
    const blocks = promptBlocks(requiredArray(call.params, "prompt"));
    if (blocks.length === 0) throw invalidParams('"prompt" must hold at least one content block.');
    const { inside } = this.#client;
    if (inside !== undefined) refuseDeadlock(session, inside, this.#hall.sessions.live);
    this.#client.attach(session, call);
    const { sessionId: _sessionId, prompt: _prompt, ...extras } = withoutHallKeys(call.params);
    const key = optionalString(metaOf(call.params), HallKey.turn);
    const turn = session.turns.accept(
      { blocks, extras, key },
      {
        sender: this.#client,
        requestId: call.id,
        answer: (id, end, cursor) => this.#answerPrompt(call, session, id, end, cursor),
        left: () => call.leave(),
      },
    );
    if (turn) this.#takeBack.set(call, () => this.#takePromptBack(call, session, turn));
  }

  #answerPrompt(call: Call, session: Session, turn: string, end: TurnEnd, cursor: number): void {
    session.viewers.answer(this.#client, cursor, () => {
      if ("failure" in end) call.fail(end.failure);
      else if ("error" in end) call.fail(new AgentError(end.error.code, end.error.message, end.error.data));
      else {
        const meta = { ...metaOf(end.result), [HallKey.turn]: turn, ...this.#place(session, cursor) };
        call.reply({ ...end.result, _meta: meta });
      }
    });
  }

  #takePromptBack(call: Call, session: Session, turn: SessionTurn): void {
    if (session.turns.withdraw(turn, requestCancelled("The prompt"))) return;
    if (!call.answered) session.turns.cancel(turn);
  }

  #setConfigOption(call: Call): void {
    if (requiredString(call.params, "configId") !== SLOT_OPTION) {
      this.#relay(call);
      return;
    }
    this.#mayBegin();
    const session = this.#session(call.params);
    const slot = requiredString(call.params, "value");
    this.#hall.slots.choose(slot, this.#client.grant.slots);
    session.changeSlot(slot, (outcome) => {
      if ("failure" in outcome) call.fail(outcome.failure);
      else session.viewers.answer(this.#client, session.stream.end, () => call.reply(outcome.result));
    });
  }

  #relay(call: Call): void {
    this.#mayBegin();
    const session = this.#session(call.params);
    this.#later(call, session.relays.relay(call, this.#client, this.#cancellable(call)));
  }

  /** About the agent's own login: never about who may use the hall. */
  #login(call: Call): void {
    this.#mayBegin();
    const slot = this.#ownSlot;
    const relayed = this.#cancellable(call);
    const asked = slot.forLogin().then((agent) => {
      const id = agent.request(call.method, call.params, (reply) => {
        if (!reply.ok && reply.lost) agent.onGone(() => call.fail(agent.exitFailure()));
        else {
          agent.loggedIn = reply.ok && call.method === AgentMethod.authenticate;
          if (reply.ok) slot.loginChanged();
          relayAnswer(call, reply);
        }
      });
      relayed(agent, id);
    });
    this.#later(call, asked);
  }

  /** A relayed request is taken back from the agent that has it, or as soon as one has it. */
  #cancellable(call: Call): (agent: Agent, id: Id) => void {
    let takenBack = false;
    this.#takeBack.set(call, () => {
      takenBack = true;
    });
    return (agent, requestId) => {
      const takeBack = (): void => agent.notify(CANCEL_REQUEST, { requestId });
      if (takenBack) takeBack();
      else this.#takeBack.set(call, takeBack);
    };
  }

  /** The answer comes later, from `work`; if that fails, its failure is the answer. */
  #later(call: Call, work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (!(error instanceof RpcError)) this.#hall.noticed(`${call.method} met a defect`, error);
      if (!call.answered) call.fail(error);
    });
  }

  /** Throws `shutting_down`: nothing begins in a hall that stops. */
  #mayBegin(): void {
    if (this.#hall.stopping) throw shuttingDown();
  }

  #slotFor(params: Fields): Slot {
    const named = optionalString(metaOf(params), HallKey.slot) ?? optionalString(params, "raiderName");
    const { slots } = this.#hall;
    const among = this.#client.grant.slots;
    return named === undefined ? this.#ownSlot : slots.choose(named, among);
  }

  /** Throws -32602 when the roster has it no longer. */
  get #ownSlot(): Slot {
    return this.#hall.slots.choose(this.slot, this.#client.grant.slots);
  }

  #session(params: Fields): Session {
    return this.#hall.sessions.getFor(this.#client.grant, requiredString(params, "sessionId"));
  }

  /** The session that a load or resume names: the same folder, the servers of now if it says any, the folders of now. */
  #returning(call: Call): Session {
    const session = this.#session(call.params);
    const { memory } = session.files;
    const cwd = absolutePath(call.params, "cwd", memory.cwd);
    if (path.resolve(cwd) !== path.resolve(memory.cwd)) {
      throw invalidParams(`This session's cwd is ${memory.cwd}; it cannot be another.`, { cwd: memory.cwd });
    }
    const servers = isGiven(call.params.mcpServers) ? mcpServers(call.params) : undefined;
    session.returnWith(additionalDirectories(call.params), servers);
    return session;
  }

  /** The cursor that a resume names, checked. */
  #cursor(session: Session, meta: Fields): number | undefined {
    const cursor = meta[HallKey.cursor];
    if (cursor === undefined) return undefined;
    const name = meta[HallKey.journal];
    const journal = this.#hall.sessions.journalName(session);
    const { end } = session.stream;
    const wrong = (what: string): RpcError =>
      invalidParams(`The cursor ${what}; load the session to see it whole.`, {
        kind: "bad_cursor",
        journal,
        cursor: end,
      });
    if (name !== undefined && name !== journal) throw wrong("is of a journal that is gone");
    if (typeof cursor !== "number" || !Number.isInteger(cursor) || cursor < 0)
      throw wrong("is no byte position");
    if (cursor > end) throw wrong("lies past the end");
    if (!session.files.journal.file.isLineStart(cursor)) throw wrong("is not where a line begins");
    return cursor;
  }

  /** Where an answer stands in the session's stream. */
  #place(session: Session, cursor: number): Fields {
    return { [HallKey.journal]: this.#hall.sessions.journalName(session), [HallKey.cursor]: cursor };
  }
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Where the agent runs elsewhere, or another hall has it, it is looked for there. */
function mustBeThere({ config, paths }: Slot, cwd: string): void {
  const folder = paths?.forSession(cwd).toAgent(cwd) ?? cwd;
  if (isFar(config.launch) || config.run.kind === "hall" || isFolder(folder)) return;
  const place = folder === cwd ? cwd : `${cwd}, which is ${folder} at the agent,`;
  throw invalidParams(`"cwd" must be a folder that is there: ${place} is not.`, { cwd });
}

function isFolder(folder: string): boolean {
  try {
    return fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    // Part of the way there is no folder, or may not be looked into.
    return false;
  }
}

import { randomBytes } from "node:crypto";
import { type Fields, fieldsOf, metaOf, optionalString, resultOf } from "../../acp/checks.ts";
import { HallKey } from "../../acp/extensions.ts";
import { AgentMethod, CANCEL, ClientMethod } from "../../acp/methods.ts";
import { updateOf } from "../../acp/updates.ts";
import type { BridgeNews } from "../../bridge/bridge.ts";
import type { Clock } from "../../ground/clock.ts";
import { type IncomingRequest, RequestFailed } from "../../wire/peer.ts";
import type { Answers } from "../answers.ts";
import type { Connection } from "../connection.ts";
import type { HallAddress } from "../hall-address.ts";
import { isUnknown, knownSession, unknownSession } from "../known-session.ts";
import { LastingConnection } from "../lasting-connection.ts";
import { OneTurn, type TurnOutcome } from "../one-turn.ts";
import { type AgentCommand, commandsIn } from "./agent-commands.ts";
import { EarlierTurns } from "./earlier-turns.ts";
import { requestFor, SessionSettings, type Setting, type SettingChoice } from "./session-settings.ts";

/** The session that is meant: a known one, by its id or its beginning, or a new one. */
export type Wish = { id: string } | { slot: string | undefined; cwd: string };

export interface ChatSessionParts {
  address: HallAddress;
  clock: Clock;
  version: string;
  answers: Answers;
  /** An update, of whoever's turn; `turn`: whose prompt it is part of. */
  see(update: Fields, turn: string | undefined): void;
  /** A prompt from here is over. */
  ended(sent: Sent, outcome: TurnOutcome): void;
  /** What runs or waits, or what is in force, is another. */
  changed(): void;
  told(news: BridgeNews): void;
  /** The hall is given up. */
  lost(): void;
}

/** A prompt that was sent from here and is not over. */
export interface Sent {
  /** The turn's. */
  readonly key: string;
  readonly text: string;
  readonly turn: OneTurn;
  /** Milliseconds of the clock's monotonic time. */
  readonly since: number;
  isCancelled: boolean;
  /** Its turn has begun, and stands in what was shown. */
  hasBegun: boolean;
}

/** One session of a hall, as one chat has it: its own connection, what it sent, and what its agent offers. */
export class ChatSession {
  readonly settings = new SessionSettings();
  readonly earlier = new EarlierTurns();
  commands: readonly AgentCommand[] = [];
  id = "";
  /** Undefined: it is not known. */
  slot: string | undefined;
  readonly #parts: ChatSessionParts;
  #state: "opening" | "open" | "left" = "opening";
  #sent: readonly Sent[] = [];
  /** What was asked before the history was read. */
  #early: IncomingRequest[] = [];
  #link: LastingConnection | undefined;

  constructor(parts: ChatSessionParts) {
    this.#parts = parts;
  }

  /** Once. Rejects with NoHall, NotAllowed, UnknownSession, or a RequestFailed, also when it was left meanwhile. */
  async open(wish: Wish): Promise<void> {
    try {
      await this.#open(wish);
    } catch (error) {
      this.leave();
      throw error;
    }
  }

  /** In the order in which they were sent. */
  get sent(): readonly Sent[] {
    return this.#sent;
  }

  get connection(): Connection {
    if (!this.#link) throw new Error("The session has no connection yet.");
    return this.#link.connection;
  }

  send(text: string): void {
    const { answers, clock } = this.#parts;
    const key = `turn_${randomBytes(16).toString("hex")}`;
    const turn = new OneTurn({ key, answers, see() {} });
    const sent: Sent = { key, text, turn, since: clock.monotonic(), isCancelled: false, hasBegun: false };
    this.#sent = [...this.#sent, sent];
    turn.start(this.connection, this.id, [{ type: "text", text }], (outcome) => {
      this.#sent = this.#sent.filter((other) => other !== sent);
      if (this.#state === "left") return;
      this.#parts.ended(sent, outcome);
      this.#parts.changed();
    });
    this.#parts.changed();
  }

  /** The prompt of ours that runs, or is the next to. */
  get running(): Sent | undefined {
    return this.#sent.find(({ turn }) => turn.isRunning) ?? this.#sent[0];
  }

  cancel(sent: Sent): void {
    sent.isCancelled = true;
    sent.turn.cancel();
    this.#parts.changed();
  }

  /** What runs and what waits in the session, of whomever. */
  cancelAll(): void {
    for (const sent of this.#sent) sent.isCancelled = true;
    this.connection.notify(CANCEL, { sessionId: this.id });
    this.#parts.changed();
  }

  /** Rejects with a RequestFailed. */
  async choose(setting: Setting, choice: SettingChoice): Promise<void> {
    const { method, params } = requestFor(setting, choice);
    const result = fieldsOf(await this.connection.ask(method, { sessionId: this.id, ...params }));
    if (setting.way === "mode") this.settings.chose(choice.value);
    else this.settings.take(result);
    this.#parts.changed();
  }

  /** What runs goes on without us. */
  leave(): void {
    this.#state = "left";
    this.#link?.close();
  }

  async #open(wish: Wish): Promise<void> {
    const { address, clock, version, told, lost } = this.#parts;
    const slot = "id" in wish ? undefined : wish.slot;
    this.#link = await LastingConnection.open({
      address,
      clock,
      version,
      slot,
      meta: { [HallKey.echo]: true },
      handlers: {
        update: (sessionId, params) => this.#update(sessionId, params),
        request: (request) => this.#asked(request),
        withdrawn: (request) => this.#withdrawn(request),
        ended: () => {
          if (this.#state !== "left") lost();
        },
      },
      told: (news) => {
        if (this.#state === "open") told(news);
      },
    });
    if (this.#state === "left") this.#link.close();
    const result = "id" in wish ? await this.#load(wish.id) : await this.#make(wish.cwd);
    this.settings.take(result);
  }

  /** What came until now is `earlier`; what comes from now on is told. */
  begin(): void {
    this.#state = "open";
    for (const request of this.#early.splice(0)) this.#asked(request);
  }

  /** What is told of the session may come right behind the answer that names it. */
  #make(cwd: string): Promise<Fields> {
    return new Promise((resolve, reject) => {
      this.connection.request(AgentMethod.newSession, { cwd, mcpServers: [] }, (reply) => {
        if (!reply.ok) {
          reject(new RequestFailed(AgentMethod.newSession, reply.error, reply.lost));
          return;
        }
        const made = resultOf(reply.result);
        this.id = optionalString(made, "sessionId") ?? "";
        this.slot = optionalString(metaOf(made), HallKey.slot);
        resolve(made);
      });
    });
  }

  async #load(wanted: string): Promise<Fields> {
    const { id, cwd, slot } = await knownSession(this.connection, wanted);
    this.id = id;
    this.slot = slot;
    try {
      const params = { sessionId: id, cwd, mcpServers: [] };
      return fieldsOf(await this.connection.ask(AgentMethod.loadSession, params));
    } catch (error) {
      throw isUnknown(error) ? unknownSession(wanted) : error;
    }
  }

  #update(sessionId: string, params: Fields): void {
    if (sessionId !== this.id) return;
    const update = updateOf(params);
    const turn = optionalString(metaOf(params), HallKey.turn);
    this.settings.see(update);
    this.commands = commandsIn(update) ?? this.commands;
    if (this.#state === "opening") {
      this.earlier.see(update, turn);
      return;
    }
    for (const sent of this.#sent) {
      if (sent.key === turn) sent.hasBegun = true;
      sent.turn.handlers.update?.(sessionId, params, NO_LINE);
    }
    this.#parts.see(update, turn);
    this.#parts.changed();
  }

  #asked(request: IncomingRequest): boolean {
    if (request.method !== ClientMethod.requestPermission) return false;
    if (this.#state === "opening") this.#early.push(request);
    else
      this.#parts.answers.take(
        request,
        this.#sent.some(({ turn }) => turn.isRunning),
      );
    return true;
  }

  #withdrawn(request: IncomingRequest): void {
    this.#early = this.#early.filter((other) => other !== request);
    this.#parts.answers.withdrawn(request);
  }
}

const NO_LINE = Buffer.alloc(0);

import { randomBytes } from "node:crypto";
import { type Fields, fieldsOf, isFields, metaOf, optionalString, resultOf } from "../acp/checks.ts";
import { Code } from "../acp/errors.ts";
import { withMeta } from "../acp/meta.ts";
import { AgentMethod, CANCEL, CANCEL_REQUEST, UPDATE } from "../acp/methods.ts";
import type { Clock } from "../ground/clock.ts";
import {
  type ErrorBody,
  type Fault,
  type Id,
  type NotificationMessage,
  type RequestMessage,
  type ResponseMessage,
  readMessage,
} from "../wire/message.ts";
import { splice } from "../wire/splice.ts";
import type { Transport } from "../wire/transport.ts";
import { Ask, Asks, makesSession, takesUpSession } from "./asks.ts";
import { Calls } from "./calls.ts";
import { Held } from "./held.ts";
import { Lane } from "./lane.ts";
import { LifeSign } from "./life-sign.ts";
import { Link, type News } from "./link.ts";
import { Outlet } from "./outlet.ts";
import { type Place, Places } from "./places.ts";

export interface BridgeParts {
  /** Not started yet. */
  editor: Transport;
  /** The first connection to the hall, not started yet. */
  hall: Transport;
  /** Another one, when that is lost. */
  reconnect(): Promise<Transport>;
  /** Milliseconds for which it tries to come back; 0: not at all. */
  patience: number;
  clock: Clock;
  /** From 0 up to 1: how the waits between attempts differ. */
  random?(): number;
  /** The slot of this connection; undefined: as the editor says, else the hall's first. */
  slot?: string | undefined;
  /** What the hall says of itself, when it has answered `initialize` for the first time. */
  met?(agentInfo: Fields): void;
  /** What happens to the connection. */
  told?(news: BridgeNews): void;
}

/** `torn`: a session's journal is not the one of before, what it had lost is not known here. */
export type BridgeNews = News | { state: "torn"; sessionId: string };

/**
 * `editor left`: it said all that it had to say, and every answer went out. `dropped`: nobody is there any more who
 * would read one. `hall lost`: what the editor had asked was answered with errors.
 */
export type BridgeEnd = "editor left" | "dropped" | "hall lost";

/** `introducing`, `resuming`: there is a connection again, and the hall is told who we are, and how far we have read. */
type Stage = "live" | "away" | "introducing" | "resuming" | "over";

/** A connection on which the hall does not answer who we are leads nowhere. */
const INTRODUCE_WITHIN_MS = 30_000;

/** A line of many megabytes takes so long on a slow network: so many periods of the life sign. */
const SENDING_PERIODS = 6;

const LOST = "The connection to the hall was lost before it answered; start a new one to go on.";
const TOO_LONG = "The line is longer than any hall takes.";
const TOO_MUCH = "The hall is away, and too much waits for it already; try again when it is back.";

/** The hall's words about reading, about being there, and about leaving. */
const CURSOR = "_hall/cursor";
const PING = "_hall/ping";
const FAREWELL = "_hall/farewell";

/**
 * An editor in front, a hall behind, each other's lines in between. The editor never learns that the hall was
 * away: when the connection is lost it is made again, each session is read on from the byte where it was cut,
 * and what the editor had asked is asked again, under keys by which the hall does nothing twice.
 */
export class Bridge {
  readonly #parts: BridgeParts;
  readonly #fromEditor: Lane;
  readonly #toEditor: Outlet;
  readonly #asks = new Asks();
  readonly #calls = new Calls();
  readonly #held = new Held();
  readonly #places = new Places();
  readonly #link: Link;
  readonly #lifeSign: LifeSign;
  /** Good for coming back to the same place at the hall. */
  readonly #name = randomBytes(16).toString("hex");
  /** What we ask of the hall ourselves, and what becomes of the answer. */
  readonly #own = new Map<Id, (answer: ResponseMessage, line: Buffer) => void>();
  #stage: Stage = "live";
  #hall: Transport;
  #toHall: Outlet;
  #fromHall: Lane;
  #introduction: Ask | undefined;
  #isIntroduced = false;
  /** The editor wants to be told its own prompts. */
  #echo = false;
  /** The hall does not let us in. */
  #unwelcome: ErrorBody | undefined;
  #ownAsks = 0;
  #editorEnded = false;
  #end: ((how: BridgeEnd) => void) | undefined;

  constructor(parts: BridgeParts) {
    this.#parts = parts;
    const { clock, editor, hall, patience, random = Math.random } = parts;
    this.#toEditor = new Outlet(editor);
    this.#hall = hall;
    this.#toHall = new Outlet(hall);
    this.#fromHall = this.#laneFrom(hall);
    this.#fromEditor = new Lane({
      from: editor,
      to: () => (this.#stage === "away" ? undefined : this.#hall),
      line: (line) => this.#editorSays(line),
      readEnd: () => this.#flush(),
      tooLong: () => this.#refuseLine(),
    });
    this.#link = new Link({
      clock,
      random,
      patience,
      connect: () => parts.reconnect(),
      up: (transport) => this.#connected(transport),
      over: () => this.#giveUp(),
      told: (news) => parts.told?.(news),
    });
    this.#lifeSign = new LifeSign({
      clock,
      ask: () => this.#askForLife(),
      excused: (periods) => this.#excused(periods),
      dead: () => this.#hallGone(),
    });
  }

  /** Starts both sides; resolves when it is over. What was written last may still be on its way to the editor. */
  run(): Promise<BridgeEnd> {
    const { editor } = this.#parts;
    return new Promise((resolve) => {
      this.#end = resolve;
      this.#startHall();
      editor.start({
        chunk: (bytes) => this.#fromEditor.chunk(bytes),
        ended: () => this.#editorLeft(),
        closed: () => this.drop(),
      });
    });
  }

  /** Nobody is in front any more: ends at once, without a word to it. */
  drop(): void {
    if (!this.#end) return;
    this.#sayFarewell();
    this.#parts.editor.destroy();
    this.#finish("dropped");
  }

  // The editor's lines

  #editorSays(line: Buffer): void {
    const message = readMessage(line);
    switch (message.kind) {
      case "request":
        this.#editorAsks(message, line);
        break;
      case "notification":
        this.#editorTells(message, line);
        break;
      case "response":
        this.#editorAnswers(message.id, line);
        break;
      case "fault":
        this.#editorErrs(message, line);
        break;
    }
  }

  #editorAsks({ id, method, params }: RequestMessage, line: Buffer): void {
    if (this.#asks.get(id)) {
      this.#fail(id, { code: Code.invalidRequest, message: "A request with this id is still open." });
      return;
    }
    const fields = resultOf(params);
    const ask = this.#keyed({ id, method, params: fields, line });
    this.#asks.add(ask);
    if (method === AgentMethod.initialize && !this.#isIntroduced) {
      this.#introduction = ask;
      this.#echo = metaOf(fields)["hall/echo"] === true;
    }
    if (this.#stage === "live") this.#send(ask);
    else if (!this.#held.add(ask)) this.#failAsk(ask, { code: Code.internal, message: TOO_MUCH });
  }

  /** The request as it goes to the hall: under the key by which it can be asked again. */
  #keyed({ id, method, params, line }: { id: Id; method: string; params: Fields; line: Buffer }): Ask {
    const { sessionId } = params;
    const parts = { id, method, params, sessionId, turn: undefined };
    if (method === AgentMethod.initialize) return new Ask({ ...parts, line: this.#introduced(line) });
    if (makesSession(method)) return new Ask({ ...parts, line: keyedBy(line, params, "hall/key").line });
    if (method !== AgentMethod.prompt) return new Ask({ ...parts, line });
    const { line: keyed, key } = keyedBy(line, params, "hall/turn");
    this.#places.get(sessionId)?.ownTurns.add(key);
    return new Ask({ ...parts, line: keyed, turn: key });
  }

  #introduced(line: Buffer): Buffer {
    const { slot } = this.#parts;
    const named = withMeta(withMeta(line, "hall/client", this.#name), "hall/echo", true);
    return slot === undefined ? named : withMeta(named, "hall/slot", slot);
  }

  #editorTells({ method, params }: NotificationMessage, line: Buffer): void {
    const fields = resultOf(params);
    if (method === CANCEL_REQUEST) this.#takeBack(fields, line);
    else if (method === CANCEL) this.#cancel(fields, line);
    else if (this.#stage === "live") this.#toHall.add(line);
    else this.#held.add(line);
  }

  /** The session's turns are to end. Said again after a cut, it is about those that the editor knew of. */
  #cancel(params: Fields, line: Buffer): void {
    const prompt = this.#asks.lastPrompt(params.sessionId);
    const until = optionalString(metaOf(params), "hall/turn") ?? prompt?.turn;
    prompt?.cancels.push(until === undefined ? line : withMeta(line, "hall/turn", until));
    if (this.#stage === "live") this.#toHall.add(line);
  }

  #takeBack({ requestId }: Fields, line: Buffer): void {
    const ask = this.#asks.get(requestId);
    if (!ask) return;
    if (ask.sent) {
      ask.cancels.push(line);
      if (this.#stage === "live") this.#toHall.add(line);
      return;
    }
    this.#held.remove(ask);
    this.#failAsk(ask, {
      code: Code.cancelled,
      message: "The request was cancelled before the hall had it.",
    });
  }

  #editorAnswers(id: Id, line: Buffer): void {
    const answer = this.#calls.answered(id, line);
    if (answer) this.#toHall.add(answer);
  }

  /** What is no message never reaches the hall: it would be answered on a connection that may not last. */
  #editorErrs({ isResponse, answers, code, message }: Fault, line: Buffer): void {
    if (answers !== undefined) this.#editorAnswers(answers, line);
    else if (!isResponse) this.#fail(null, { code, message });
  }

  #send(ask: Ask): void {
    ask.sent = true;
    if (ask.turn !== undefined) this.#places.get(ask.sessionId)?.ownTurns.add(ask.turn);
    this.#toHall.add(ask.line);
  }

  // The hall's lines

  #hallSays(line: Buffer): void {
    const message = readMessage(line);
    switch (message.kind) {
      case "request":
        this.#hallAsks(message, line);
        break;
      case "notification":
        this.#hallTells(message, line);
        break;
      case "response":
        this.#hallAnswers(message, line);
        break;
      case "fault":
        // A hall sends none; whatever this is, the editor is the one to judge it.
        this.#toEditor.add(line);
        break;
    }
  }

  #hallTells({ method, params }: NotificationMessage, line: Buffer): void {
    if (method === UPDATE) {
      const isOwn = this.#places.count(params, line.length + 1);
      if (!isOwn || this.#echo) this.#toEditor.add(line);
    } else if (method === CURSOR) this.#placed(resultOf(params));
    else if (method === CANCEL_REQUEST) {
      const { requestId } = resultOf(params);
      const known = typeof requestId === "string" || typeof requestId === "number";
      const withdrawn = known ? this.#calls.withdrawn(requestId) : undefined;
      if (withdrawn) this.#toEditor.add(withdrawn);
    } else this.#toEditor.add(line);
  }

  /** What comes of this session from here on begins at that cursor. */
  #placed({ sessionId, requestId, journal, cursor }: Fields): void {
    if (typeof sessionId !== "string" || typeof journal !== "string" || typeof cursor !== "number") return;
    const place = this.#places.begin(sessionId, journal, cursor);
    const ask = this.#asks.get(requestId);
    if (!ask) return;
    ask.placed = true;
    if (ask.turn !== undefined) place.ownTurns.add(ask.turn);
    if (takesUpSession(ask.method)) opened(place, ask);
  }

  #hallAsks(request: RequestMessage, line: Buffer): void {
    const asked = this.#calls.asked(request, line);
    if (!asked) return;
    if ("toEditor" in asked) this.#toEditor.add(asked.toEditor);
    else this.#toHall.add(asked.toHall);
  }

  #hallAnswers(answer: ResponseMessage, line: Buffer): void {
    const { id, error } = answer;
    const own = this.#own.get(id);
    const ask = this.#asks.get(id);
    if (own) {
      this.#own.delete(id);
      own(answer, line);
    } else if (ask?.sent) this.#answered(ask, answer, line);
    else if (id === null && error) this.#complained(error, line);
    // Anything else was answered before: the editor hears nothing twice.
  }

  #answered(ask: Ask, { result, error }: ResponseMessage, line: Buffer): void {
    if (error && this.#putsOff(ask, error)) return;
    if (ask.method === AgentMethod.initialize) this.#met(ask, resultOf(result), error);
    const fields = resultOf(result);
    if (makesSession(ask.method) && typeof fields.sessionId === "string")
      opened(this.#places.beginAt(fields.sessionId, fields), ask);
    const leaves = ask.method === AgentMethod.closeSession || ask.method === AgentMethod.deleteSession;
    if (leaves && !error) this.#places.forget(ask.sessionId);
    this.#asks.remove(ask);
    this.#toEditor.add(line);
  }

  /** A hall that stops has done nothing about what it refuses so: the next one is asked. */
  #putsOff(ask: Ask, error: ErrorBody): boolean {
    if (kindOf(error) !== "shutting_down" || ask.deferred || !ask.repeatable) return false;
    if (this.#parts.patience === 0 || this.#editorEnded) return false;
    ask.deferred = true;
    return true;
  }

  #met(ask: Ask, result: Fields, error: ErrorBody | undefined): void {
    if (error && kindOf(error) === "not_authorized") this.#unwelcome = error;
    if (ask !== this.#introduction) return;
    if (error) {
      if (this.#stage === "introducing") this.#goLive();
      return;
    }
    this.#isIntroduced = true;
    this.#lifeSign.start();
    if (isFields(result.agentInfo)) this.#parts.met?.(result.agentInfo);
    if (this.#stage === "introducing") this.#resume();
  }

  /** An error that answers no request: at the door, or about a line that was too long; the connection ends then. */
  #complained(error: ErrorBody, line: Buffer): void {
    const limit = isFields(error.data) ? error.data.limit : undefined;
    if (kindOf(error) === "not_authorized") this.#unwelcome = error;
    else if (typeof limit === "number") {
      for (const ask of this.#asks.all) if (ask.sent && ask.line.length > limit) this.#failAsk(ask, error);
      this.#calls.shorten(limit, error);
    } else this.#toEditor.add(line);
  }

  // Losing the hall, and coming back

  #startHall(): void {
    const { transport, lane } = { transport: this.#hall, lane: this.#fromHall };
    const isCurrent = (): boolean => this.#hall === transport;
    transport.start({
      chunk: (bytes) => {
        if (!isCurrent()) return;
        this.#lifeSign.heard();
        lane.chunk(bytes);
      },
      ended: () => {
        if (isCurrent()) this.#hallGone();
      },
      closed: () => {
        if (isCurrent()) this.#hallGone();
      },
    });
  }

  #laneFrom(hall: Transport): Lane {
    return new Lane({
      from: hall,
      to: () => this.#parts.editor,
      line: (line) => this.#hallSays(line),
      readEnd: () => this.#flush(),
      tooLong: () => this.#link.giveUp("it sent a line that is longer than any hall sends"),
    });
  }

  #hallGone(): void {
    if (!this.#end || this.#stage === "away") return;
    const cameBack = this.#stage === "live";
    const owed = this.#asks.all.length > 0;
    this.#disconnect();
    if (this.#editorEnded) this.#giveUp(owed);
    else if (this.#unwelcome) this.#link.giveUp(this.#unwelcome.message);
    else if (cameBack) this.#link.lost();
    else this.#link.failed("the connection was lost again");
    this.#flush();
  }

  #disconnect(): void {
    this.#stage = "away";
    this.#lifeSign.stop();
    this.#fromHall.cut();
    this.#hall.destroy();
    this.#own.clear();
    this.#calls.lost();
    for (const ask of this.#asks.all) {
      if (ask.sent && !ask.repeatable) this.#failAsk(ask, { code: Code.internal, message: unknownIf(ask) });
    }
  }

  #connected(transport: Transport): void {
    this.#hall = transport;
    this.#toHall = new Outlet(transport);
    this.#fromHall = this.#laneFrom(transport);
    this.#startHall();
    const introduction = this.#introduction;
    if (!introduction) this.#goLive();
    else {
      this.#stage = "introducing";
      this.#introduceAgain(introduction);
    }
    this.#flush();
  }

  #introduceAgain(introduction: Ask): void {
    const { clock } = this.#parts;
    const hall = this.#hall;
    const late = clock.after(INTRODUCE_WITHIN_MS, () => {
      if (this.#hall === hall && this.#stage === "introducing") this.#hallGone();
    });
    if (!this.#isIntroduced) {
      // Its answer is still the editor's.
      if (introduction.sent) this.#toHall.add(introduction.line);
      else this.#goLive();
      return;
    }
    this.#askHall(introduction.line, ({ error }) => {
      late();
      if (!error) this.#resume();
      else if (kindOf(error) === "not_authorized") {
        this.#unwelcome = error;
        this.#hallGone();
      } else {
        this.#disconnect();
        this.#link.failed(error.message);
      }
    });
  }

  /** Each session is read on from where it was cut. */
  #resume(): void {
    this.#stage = "resuming";
    this.#lifeSign.start();
    const places = this.#places.all;
    let left = places.length;
    const done = (): void => {
      left -= 1;
      if (left === 0) this.#goLive();
    };
    for (const place of places) this.#takeUp(place, done);
    if (places.length === 0) this.#goLive();
  }

  #takeUp(place: Place, done: () => void): void {
    const { sessionId, cwd, additionalDirectories, journal, cursor } = place;
    const params = {
      sessionId,
      ...(cwd === undefined ? {} : { cwd }),
      ...(additionalDirectories === undefined ? {} : { additionalDirectories }),
      _meta: { "hall/journal": journal, "hall/cursor": cursor },
    };
    const line = Buffer.from(
      JSON.stringify({ jsonrpc: "2.0", id: null, method: AgentMethod.resumeSession, params }),
    );
    this.#askHall(line, ({ error }, answer) => {
      if (!error) this.#answerPlaced(sessionId, answer);
      else if (kindOf(error) === "bad_cursor" && this.#isTorn(place, error)) {
        this.#takeUp(place, done);
        return;
      } else this.#places.forget(sessionId);
      done();
    });
  }

  /** What the hall had when a machine went down, and the disk had not, is gone: it is read on from what there is. */
  #isTorn(place: Place, error: ErrorBody): boolean {
    const { journal, cursor } = isFields(error.data) ? error.data : {};
    if (typeof journal !== "string" || typeof cursor !== "number") return false;
    if (place.journal === journal && place.cursor === cursor) return false;
    Object.assign(place, { journal, cursor });
    this.#parts.told?.({ state: "torn", sessionId: place.sessionId });
    return true;
  }

  /** What the editor waited for to have read is read: from before the cut, and on. */
  #answerPlaced(sessionId: string, answer: Buffer): void {
    for (const ask of this.#asks.all) {
      if (!ask.placed || ask.sessionId !== sessionId || !takesUpSession(ask.method)) continue;
      this.#asks.remove(ask);
      this.#toEditor.add(splice(answer, [{ path: ["id"], json: JSON.stringify(ask.id) }]));
    }
  }

  /** All that was open is asked again, in the first order; then what was said meanwhile. */
  #goLive(): void {
    this.#stage = "live";
    for (const line of this.#calls.settle()) this.#toEditor.add(line);
    for (const ask of this.#asks.all) {
      if (!ask.sent) continue;
      this.#send(ask);
      for (const cancel of ask.cancels) this.#toHall.add(cancel);
    }
    for (const said of this.#held.takeAll()) {
      if (!(said instanceof Ask)) this.#toHall.add(said);
      else {
        this.#send(said);
        for (const cancel of said.cancels) this.#toHall.add(cancel);
      }
    }
    this.#link.back();
  }

  #askHall(line: Buffer, answered: (answer: ResponseMessage, line: Buffer) => void): void {
    const id = `${this.#name}.${this.#ownAsks++}`;
    this.#own.set(id, answered);
    this.#toHall.add(splice(line, [{ path: ["id"], json: JSON.stringify(id) }]));
  }

  #askForLife(): void {
    this.#calls.mark();
    this.#askHall(Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: null, method: PING })), () => {
      this.#calls.confirm();
      this.#lifeSign.came();
    });
    this.#flush();
  }

  /** Nothing is read from it, or it has not taken yet what it was sent. */
  #excused(periods: number): boolean {
    return this.#fromHall.waits || (this.#hall.backlog > 0 && periods < SENDING_PERIODS);
  }

  // The end

  /** The hall answers what is open, then closes. */
  #editorLeft(): void {
    this.#editorEnded = true;
    this.#fromEditor.end();
    if (this.#stage !== "live") {
      this.#giveUp();
      return;
    }
    this.#sayFarewell();
    this.#hall.end();
  }

  /** The hall need not keep a place for us. */
  #sayFarewell(): void {
    if (this.#stage === "away" || !this.#isIntroduced) return;
    this.#toHall.tell({ method: FAREWELL });
    this.#toHall.flush();
  }

  /** `owed`: something that the editor asked got no answer of the hall's. */
  #giveUp(owed = this.#asks.all.length > 0): void {
    if (!this.#end) return;
    const error = this.#unwelcome ?? { code: Code.internal, message: LOST };
    for (const { id } of this.#asks.takeAll()) this.#fail(id, error);
    this.#endEditor();
    this.#finish(this.#editorEnded && !owed ? "editor left" : "hall lost");
  }

  #refuseLine(): void {
    this.#fail(null, { code: Code.invalidRequest, message: TOO_LONG });
    this.#endEditor();
    this.#finish("editor left");
  }

  #failAsk(ask: Ask, error: ErrorBody): void {
    this.#asks.remove(ask);
    this.#fail(ask.id, error);
  }

  #fail(id: Id, error: ErrorBody): void {
    this.#toEditor.tell({ id, error });
  }

  #flush(): void {
    this.#toEditor.flush();
    if (this.#stage !== "away") this.#toHall.flush();
  }

  #endEditor(): void {
    this.#toEditor.flush();
    this.#parts.editor.pause();
    this.#parts.editor.end();
  }

  #finish(how: BridgeEnd): void {
    const end = this.#end;
    this.#end = undefined;
    this.#stage = "over";
    this.#link.stop();
    this.#lifeSign.stop();
    this.#hall.destroy();
    end?.(how);
  }
}

const kindOf = ({ data }: ErrorBody): unknown => (isFields(data) ? data.kind : undefined);

const unknownIf = ({ method }: Ask): string =>
  `The connection to the hall was lost; it is not known whether ${method} was done.`;

/** The line under a key of its own, unless the editor gave it one. */
function keyedBy(line: Buffer, params: Fields, name: string): { line: Buffer; key: string } {
  const given = optionalString(metaOf(params), name);
  if (given !== undefined) return { line, key: given };
  const key = randomBytes(16).toString("hex");
  return { line: withMeta(line, name, key), key };
}

/** The session is taken up again as the editor opened it. */
function opened(place: Place, ask: Ask): void {
  const { cwd, additionalDirectories } = fieldsOf(ask.params);
  Object.assign(place, { cwd, additionalDirectories });
}

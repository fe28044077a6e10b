import { isFields, metaOf, optionalString, resultOf } from "../acp/checks.ts";
import { Code } from "../acp/errors.ts";
import { HallKey, HallMethod } from "../acp/extensions.ts";
import { withMeta } from "../acp/meta.ts";
import { AgentMethod, CANCEL, CANCEL_REQUEST, UPDATE } from "../acp/methods.ts";
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
import { type Ask, Asks, askOf, isAsk, leavesSession, makesSession, takesUpSession } from "./asks.ts";
import { Calls } from "./calls.ts";
import { kindOf } from "./error-kind.ts";
import type { HallConnection } from "./hall-connection.ts";
import { Held } from "./held.ts";
import type { Introduction } from "./introduction.ts";
import type { Outlet } from "./outlet.ts";
import { type Place, Places } from "./places.ts";
import { type ResumptionParts, resume, resumeAll } from "./resumption.ts";

export interface ConversationParts {
  introduction: Introduction;
  toEditor: Outlet;
  /** A hall that is lost is tried again: what one refuses because it stops, the next may do. */
  comesBack(): boolean;
  /** The hall has answered the editor's `initialize`. */
  initialized(ask: Ask, answer: ResponseMessage): void;
  /** A session's journal is not the one of before: what it had lost is not known. */
  torn(sessionId: string): void;
  /** The hall says that we may not come in. */
  unwelcome(error: ErrorBody): void;
}

/** `returning`: there is a connection again, and the hall is told who we are, and how far we have read. */
type Stage = "away" | "returning" | "live";

const TOO_MUCH = "The hall is away, and too much waits for it already; try again when it is back.";
const TORN = "The hall's machine went down while the session was being read; load it again.";
const CANCELLED = "The request was cancelled before the hall had it.";

/**
 * What an editor and a hall say to each other, line by line, over one connection after another: what has to be said
 * again, under which key, and what must not reach the other side twice.
 */
export class Conversation {
  readonly #parts: ConversationParts;
  readonly #places = new Places();
  readonly #asks = new Asks();
  readonly #calls = new Calls();
  readonly #held = new Held();
  #stage: Stage = "returning";
  #hall: HallConnection;

  constructor(hall: HallConnection, parts: ConversationParts) {
    this.#hall = hall;
    this.#parts = parts;
  }

  /** The editor waits for answers. */
  get owesAnswers(): boolean {
    return this.#asks.all.length > 0;
  }

  // The editor's lines

  editorSays(line: Buffer): void {
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

  #editorAsks(request: RequestMessage, line: Buffer): void {
    if (this.#asks.get(request.id)) {
      const message = "A request with this id is still open.";
      this.#fail(request.id, { code: Code.invalidRequest, message });
      return;
    }
    const { introduction } = this.#parts;
    const ask = askOf(request, line, introduction);
    this.#asks.add(ask);
    if (ask.method === AgentMethod.initialize) introduction.says(ask, ask.params);
    if (this.#stage === "live") this.#send(ask);
    else if (!this.#held.add(ask)) this.#failAsk(ask, { code: Code.internal, message: TOO_MUCH });
  }

  #editorTells({ method, params }: NotificationMessage, line: Buffer): void {
    if (method === CANCEL_REQUEST) this.#takeBack(resultOf(params).requestId, line);
    else if (method === CANCEL) this.#cancel(params, line);
    else if (this.#stage === "live") this.#hall.add(line);
    else this.#held.add(line);
  }

  /** The session's turns are to end. Said again after a cut, it is about those that the editor knew of. */
  #cancel(params: unknown, line: Buffer): void {
    const fields = resultOf(params);
    const prompt = this.#asks.lastPrompt(fields.sessionId);
    const until = optionalString(metaOf(fields), HallKey.turn) ?? prompt?.turn;
    prompt?.cancels.push(withMeta(line, HallKey.turn, until));
    if (this.#stage === "live") this.#hall.add(line);
  }

  #takeBack(requestId: unknown, line: Buffer): void {
    const ask = this.#asks.get(requestId);
    if (!ask) return;
    if (!ask.sent) {
      this.#held.remove(ask);
      this.#failAsk(ask, { code: Code.cancelled, message: CANCELLED });
      return;
    }
    ask.cancels.push(line);
    if (this.#stage === "live") this.#hall.add(line);
  }

  #editorAnswers(id: Id, line: Buffer): void {
    const answer = this.#calls.answered(id, line);
    if (answer) this.#hall.add(answer);
  }

  /** What is no message never reaches the hall: it would be answered on a connection that may not last. */
  #editorErrs({ isResponse, answers, code, message }: Fault, line: Buffer): void {
    if (answers !== undefined) this.#editorAnswers(answers, line);
    else if (!isResponse) this.#fail(null, { code, message });
  }

  #send(ask: Ask): void {
    ask.sent = true;
    const place = this.#places.get(ask.sessionId);
    if (place?.isCut) resume(place, this.#resumption);
    if (ask.turn !== undefined) this.#places.says(ask.sessionId, ask.turn);
    this.#hall.add(ask.line);
    for (const cancel of ask.cancels) this.#hall.add(cancel);
  }

  // The hall's lines

  hallSays(line: Buffer): void {
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
        this.#parts.toEditor.add(line);
        break;
    }
  }

  #hallTells({ method, params }: NotificationMessage, line: Buffer): void {
    const { introduction, toEditor } = this.#parts;
    if (method === UPDATE) {
      const isOwn = this.#places.count(params, line.length + 1);
      if (!isOwn || introduction.echo) toEditor.add(line);
    } else if (method === HallMethod.cursor) this.#placed(params);
    else if (method === CANCEL_REQUEST) {
      const withdrawn = this.#calls.withdrawn(resultOf(params).requestId);
      if (withdrawn) toEditor.add(withdrawn);
    } else toEditor.add(line);
  }

  /** What comes of this session from here on begins at that cursor. */
  #placed(params: unknown): void {
    const { sessionId, requestId, journal, cursor } = resultOf(params);
    if (typeof sessionId !== "string" || typeof journal !== "string" || typeof cursor !== "number") return;
    const place = this.#places.begin(sessionId, journal, cursor);
    const ask = this.#asks.get(requestId);
    if (!ask) return;
    ask.placed = true;
    if (takesUpSession(ask.method)) opened(place, ask);
  }

  #hallAsks(request: RequestMessage, line: Buffer): void {
    const asked = this.#calls.asked(request, line);
    if (!asked) return;
    if ("toEditor" in asked) this.#parts.toEditor.add(asked.toEditor);
    else this.#hall.add(asked.toHall);
  }

  #hallAnswers(answer: ResponseMessage, line: Buffer): void {
    if (this.#hall.takes(answer, line)) return;
    const { id, error } = answer;
    const ask = this.#asks.get(id);
    if (ask?.sent) this.#answered(ask, answer, line);
    else if (id === null && error) this.#complained(error, line);
    // Anything else was answered before: the editor hears nothing twice.
  }

  #answered(ask: Ask, answer: ResponseMessage, line: Buffer): void {
    const { error } = answer;
    if (error && this.#putsOff(ask, error)) return;
    const { sessionId, ...result } = resultOf(answer.result);
    if (makesSession(ask.method) && typeof sessionId === "string")
      opened(this.#places.beginAt(sessionId, result), ask);
    const isLeft = leavesSession(ask.method) && !error;
    const isNone = error && !this.#places.get(ask.sessionId);
    if (isLeft || isNone) this.#places.forget(ask.sessionId);
    this.#asks.remove(ask);
    this.#parts.toEditor.add(line);
    if (ask.method === AgentMethod.initialize) this.#parts.initialized(ask, answer);
  }

  /** A hall that stops has done nothing about what it refuses so: the next one is asked. */
  #putsOff(ask: Ask, error: ErrorBody): boolean {
    if (kindOf(error) !== "shutting_down" || ask.deferred || !ask.repeatable) return false;
    if (!this.#parts.comesBack()) return false;
    ask.deferred = true;
    return true;
  }

  /** An error that answers no request: at the door, or about a line that was too long; the connection ends then. */
  #complained(error: ErrorBody, line: Buffer): void {
    const limit = isFields(error.data) ? error.data.limit : undefined;
    if (kindOf(error) === "not_authorized") this.#parts.unwelcome(error);
    else if (typeof limit === "number") {
      for (const ask of this.#asks.all) if (ask.sent && ask.line.length > limit) this.#failAsk(ask, error);
      this.#calls.shorten(limit, error);
    } else this.#parts.toEditor.add(line);
  }

  // One connection after another

  /** The connection is lost. What cannot be asked twice is answered: nobody knows whether it was done. */
  lost(): void {
    this.#stage = "away";
    this.#calls.lost();
    for (const ask of this.#asks.all) {
      if (ask.sent && !ask.repeatable) this.#failAsk(ask, { code: Code.internal, message: unknownIf(ask) });
    }
  }

  /** There is another one. */
  returnsBy(hall: HallConnection): void {
    this.#hall = hall;
    this.#stage = "returning";
  }

  /** Each session is read on from where it was cut. */
  resumeAll(done: () => void): void {
    resumeAll(this.#resumption, done);
  }

  get #resumption(): ResumptionParts {
    return {
      places: this.#places,
      hall: this.#hall,
      resumed: (sessionId, answer) => this.#resumed(sessionId, answer),
      torn: (sessionId) => this.#torn(sessionId),
    };
  }

  /** A session was read on: who waited for it to be read has its answer. */
  #resumed(sessionId: string, answer: Buffer): void {
    for (const ask of this.#asks.beingRead(sessionId)) {
      this.#asks.remove(ask);
      this.#parts.toEditor.add(splice(answer, [{ path: ["id"], json: JSON.stringify(ask.id) }]));
    }
  }

  /** Who waited for the session to be read has one half of one journal: the other half is not that of another. */
  #torn(sessionId: string): void {
    for (const ask of this.#asks.beingRead(sessionId))
      this.#failAsk(ask, { code: Code.internal, message: TORN });
    this.#parts.torn(sessionId);
  }

  /** All that was open is asked again, in the first order; then what was said meanwhile. */
  goOn(): void {
    this.#stage = "live";
    for (const line of this.#calls.settle()) this.#parts.toEditor.add(line);
    for (const ask of this.#asks.all) if (ask.sent) this.#send(ask);
    for (const said of this.#held.takeAll()) {
      if (isAsk(said)) this.#send(said);
      else this.#hall.add(said);
    }
  }

  /** Asks the hall for a sign of life. One that comes has come behind all that we said before. */
  askForLife(method: string, came: () => void): void {
    for (const place of this.#places.all) if (place.isCut) resume(place, this.#resumption);
    this.#calls.mark();
    this.#hall.ask(method, {}, () => {
      this.#calls.confirm();
      came();
    });
  }

  /** It is over: what is open has this for an answer. */
  end(error: ErrorBody): void {
    for (const { id } of this.#asks.takeAll()) this.#fail(id, error);
  }

  #failAsk(ask: Ask, error: ErrorBody): void {
    this.#asks.remove(ask);
    this.#fail(ask.id, error);
  }

  #fail(id: Id, error: ErrorBody): void {
    this.#parts.toEditor.tell({ id, error });
  }
}

const unknownIf = ({ method }: Ask): string =>
  `The connection to the hall was lost; it is not known whether ${method} was done.`;

/** The session is taken up again as the editor opened it. */
function opened(place: Place, { params }: Ask): void {
  const { cwd, additionalDirectories } = params;
  Object.assign(place, { cwd, additionalDirectories });
}

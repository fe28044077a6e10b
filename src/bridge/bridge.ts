import { type Fields, isFields, resultOf } from "../acp/checks.ts";
import { Code } from "../acp/errors.ts";
import { HallMethod } from "../acp/extensions.ts";
import type { Cancel, Clock } from "../ground/clock.ts";
import type { ErrorBody, ResponseMessage } from "../wire/message.ts";
import type { Transport } from "../wire/transport.ts";
import type { Ask } from "./asks.ts";
import { Conversation } from "./conversation.ts";
import { kindOf } from "./error-kind.ts";
import { HallConnection } from "./hall-connection.ts";
import { Introduction } from "./introduction.ts";
import { Lane } from "./lane.ts";
import { LifeSign } from "./life-sign.ts";
import { Link, type News } from "./link.ts";
import { Outlet } from "./outlet.ts";

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
  /** The mark of the agent process that we were started in. */
  process?: string | undefined;
  /** What the hall says of itself, when it has answered `initialize` for the first time. */
  met?(agentInfo: Fields): void;
  /** The hall does not take the editor's first `initialize`; the editor is told so after this. */
  refused?(error: ErrorBody): void;
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

/**
 * An editor in front, a hall behind, each other's lines in between. The editor never learns that the hall was
 * away: when the connection is lost it is made again, each session is read on from the byte where it was cut,
 * and what the editor had asked is asked again, under keys by which the hall does nothing twice.
 */
export class Bridge {
  readonly #parts: BridgeParts;
  readonly #introduction: Introduction;
  readonly #conversation: Conversation;
  readonly #fromEditor: Lane;
  readonly #toEditor: Outlet;
  readonly #link: Link;
  readonly #lifeSign: LifeSign;
  #stage: Stage = "live";
  #hall: HallConnection;
  /** The hall does not let us in. */
  #unwelcome: ErrorBody | undefined;
  #introduceBy: Cancel = () => {};
  #editorEnded = false;
  #end: ((how: BridgeEnd) => void) | undefined;

  constructor(parts: BridgeParts) {
    this.#parts = parts;
    const { clock, editor, hall, patience, random = Math.random, slot, process } = parts;
    this.#toEditor = new Outlet(editor);
    this.#introduction = new Introduction(slot, process);
    this.#hall = this.#connectionOver(hall);
    this.#conversation = new Conversation(this.#hall, {
      introduction: this.#introduction,
      toEditor: this.#toEditor,
      comesBack: () => patience > 0 && !this.#editorEnded,
      initialized: (ask, answer) => this.#initialized(ask, answer),
      torn: (sessionId) => parts.told?.({ state: "torn", sessionId }),
      unwelcome: (error) => {
        this.#unwelcome = error;
      },
    });
    this.#fromEditor = new Lane({
      from: editor,
      to: () => (this.#stage === "away" ? undefined : this.#hall.transport),
      line: (line) => this.#conversation.editorSays(line),
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
      ask: () => {
        this.#conversation.askForLife(HallMethod.ping, () => this.#lifeSign.came());
        this.#flush();
      },
      // Nothing is read from it, or it has not taken yet what it was sent.
      excused: (periods) =>
        this.#hall.waits || (this.#hall.transport.backlog > 0 && periods < SENDING_PERIODS),
      dead: () => this.#hallGone(),
    });
  }

  /** Starts both sides; resolves when it is over. What was written last may still be on its way to the editor. */
  run(): Promise<BridgeEnd> {
    const { editor } = this.#parts;
    return new Promise((resolve) => {
      this.#end = resolve;
      this.#hall.start();
      this.#conversation.goOn();
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

  // Losing the hall, and coming back

  #connectionOver(transport: Transport): HallConnection {
    return new HallConnection({
      transport,
      editor: this.#parts.editor,
      name: this.#introduction.name,
      heard: () => this.#lifeSign.heard(),
      line: (line) => this.#conversation.hallSays(line),
      readEnd: () => this.#flush(),
      tooLong: () => this.#link.giveUp("it sent a line that is longer than any hall sends"),
      gone: () => this.#hallGone(),
    });
  }

  #hallGone(): void {
    if (!this.#end || this.#stage === "away") return;
    const wasLive = this.#stage === "live";
    const owed = this.#conversation.owesAnswers;
    this.#disconnect();
    if (this.#editorEnded) this.#giveUp(owed);
    else if (this.#unwelcome) this.#link.giveUp(this.#unwelcome.message);
    else if (wasLive) this.#link.lost();
    else this.#link.failed("the connection was lost again");
    this.#flush();
  }

  #disconnect(): void {
    this.#stage = "away";
    this.#introduceBy();
    this.#lifeSign.stop();
    this.#hall.drop();
    this.#conversation.lost();
  }

  #connected(transport: Transport): void {
    this.#hall = this.#connectionOver(transport);
    this.#conversation.returnsBy(this.#hall);
    this.#stage = "introducing";
    this.#hall.start();
    const { ask, isAccepted } = this.#introduction;
    if (ask && isAccepted) this.#introduceAgain(ask);
    else if (ask?.sent) this.#hall.add(ask.line);
    else this.#goOn();
    this.#watchIntroduction();
    this.#flush();
  }

  #introduceAgain({ line }: Ask): void {
    this.#hall.askWith(line, ({ error }) => {
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

  #watchIntroduction(): void {
    if (this.#stage !== "introducing") return;
    this.#introduceBy = this.#parts.clock.after(INTRODUCE_WITHIN_MS, () => this.#hallGone());
  }

  /** The editor's own `initialize` was answered: the first one, or one that was cut off. */
  #initialized(ask: Ask, { result, error }: ResponseMessage): void {
    if (error && kindOf(error) === "not_authorized") this.#unwelcome = error;
    if (error) this.#parts.refused?.(error);
    const isFirst = !error && this.#introduction.accepted(ask);
    const isReturn = this.#stage === "introducing";
    if (isFirst) {
      const { agentInfo } = resultOf(result);
      if (isFields(agentInfo)) this.#parts.met?.(agentInfo);
      this.#lifeSign.start();
    }
    if (isReturn) this.#goOn();
  }

  /** Each session is read on from where it was cut. */
  #resume(): void {
    this.#stage = "resuming";
    this.#introduceBy();
    this.#lifeSign.start();
    this.#conversation.resumeAll(() => this.#goOn());
  }

  #goOn(): void {
    this.#stage = "live";
    this.#introduceBy();
    this.#conversation.goOn();
    this.#link.back();
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
    if (this.#stage === "away" || !this.#introduction.isAccepted) return;
    this.#hall.tell({ method: HallMethod.farewell });
    this.#hall.flush();
  }

  /** `owed`: something that the editor asked got no answer of the hall's. */
  #giveUp(owed = this.#conversation.owesAnswers): void {
    if (!this.#end) return;
    this.#conversation.end(this.#unwelcome ?? { code: Code.internal, message: LOST });
    this.#endEditor();
    this.#finish(this.#editorEnded && !owed ? "editor left" : "hall lost");
  }

  #refuseLine(): void {
    this.#toEditor.tell({ id: null, error: { code: Code.invalidRequest, message: TOO_LONG } });
    this.#endEditor();
    this.#finish("editor left");
  }

  #flush(): void {
    this.#toEditor.flush();
    if (this.#stage !== "away") this.#hall.flush();
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
    this.#introduceBy();
    this.#link.stop();
    this.#lifeSign.stop();
    this.#hall.drop();
    end?.(how);
  }
}

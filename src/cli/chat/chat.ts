import type { Fields } from "../../acp/checks.ts";
import { kindOf, tellsState } from "../../acp/updates.ts";
import type { BridgeNews } from "../../bridge/bridge.ts";
import type { Clock } from "../../ground/clock.ts";
import { Answers } from "../answers.ts";
import { complaint } from "../complaint.ts";
import type { HallAddress } from "../hall-address.ts";
import { PATIENCE_MS } from "../lasting-connection.ts";
import { linkNews } from "../link-news.ts";
import type { TurnOutcome } from "../one-turn.ts";
import { type Paint, paint } from "../paint.ts";
import { printable } from "../printable.ts";
import type { TerminalQuestions } from "../terminal-questions.ts";
import { ToolCalls } from "../tool-calls.ts";
import { outcomeCode } from "../turn-report.ts";
import { type Screen, TurnView } from "../turn-view.ts";
import type { AgentCommand } from "./agent-commands.ts";
import { ChatSession, type Sent, type Wish } from "./chat-session.ts";
import { OwnCommands } from "./own-commands.ts";
import type { Setting } from "./session-settings.ts";
import { typedLine } from "./typed-line.ts";

export interface ChatParts {
  address: HallAddress;
  clock: Clock;
  version: string;
  /** Where new sessions work. */
  cwd: string;
  /** Kinds of tools that are allowed without asking. */
  allowed: ReadonlySet<string>;
  /** For what the agent says. */
  out: Screen;
  /** For all else. */
  aside: Screen;
  /** Where a person is asked; undefined: there is none. */
  terminal(view: TurnView): TerminalQuestions | undefined;
  /** A person sits there: how a turn ended was seen, and is no exit code. */
  isAttended: boolean;
  /** What `standing` tells is another. */
  changed(): void;
}

/** How a chat stands, for whoever shows it. */
export interface Standing {
  /** What stands before the line that is typed. */
  label: string;
  /** A list is shown, and a number of it is waited for. */
  isPicking: boolean;
  /** The prompt that runs, or is the next to; undefined: none of ours. */
  current: Sent | undefined;
  /** Texts of prompts that wait. */
  waiting: readonly string[];
  /** A session is being opened; its agent may have to start. */
  isOpening: boolean;
  /** The hall is lost, and tried again. */
  isAway: boolean;
  commands: readonly AgentCommand[];
}

/** A chat with the agents of a hall: what is typed, and what follows from it. */
export class Chat {
  /** Resolves with the exit code when it is over. Rejects when it could not begin, as `ChatSession.open` does. */
  readonly over: Promise<number>;
  readonly #parts: ChatParts;
  readonly #paint: Paint;
  readonly #calls = new ToolCalls();
  readonly #view: TurnView;
  readonly #answers: Answers;
  readonly #commands: OwnCommands;
  #session: ChatSession | undefined;
  /** Whose prompt was shown last. */
  #turn: string | undefined;
  /** By setting, what is in force as far as it was told. */
  #known: ReadonlyMap<string, string> = new Map();
  #isAway = false;
  /** What is typed is done one after another. */
  #typed: Promise<void> = Promise.resolve();
  /** A session that is not there yet. */
  #opening: ChatSession | undefined;
  /** The next Ctrl-C leaves. */
  #mayLeave = false;
  #code = 0;
  #idle: (() => void)[] = [];
  #isOver = false;
  #finish: (code: number) => void = () => {};
  #fail: (error: unknown) => void = () => {};

  constructor(parts: ChatParts) {
    const { out, aside, allowed } = parts;
    this.#parts = parts;
    this.#paint = paint(aside);
    this.#view = new TurnView({ out, aside, calls: this.#calls, showsDiffs: true });
    this.#answers = new Answers({
      calls: this.#calls,
      allowed,
      terminal: parts.terminal(this.#view),
      note: (what, { title, kind }) =>
        this.#view.note(`${this.#paint.yellow("!")} ${what}: ${printable(title)}  ${this.#paint.dim(kind)}`),
    });
    this.#commands = new OwnCommands({
      ...parts,
      paint: this.#paint,
      open: (wish) => this.#open(wish),
      leave: () => this.leave(),
      show: (...lines) => this.#view.note(...lines),
    });
    this.over = new Promise((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
    });
  }

  get standing(): Standing {
    const session = this.#session;
    const current = session?.running;
    const waiting = session?.sent.filter(({ turn }) => !turn.isRunning) ?? [];
    return {
      isPicking: this.#commands.isPicking,
      label: this.#commands.isPicking ? "which? › " : `${session?.slot ?? "hall"} › `,
      current,
      waiting: waiting.map(({ text }) => text),
      isOpening: this.#opening !== undefined,
      isAway: this.#isAway,
      commands: session?.commands ?? [],
    };
  }

  /** Its session's id, once there is one. */
  get sessionId(): string | undefined {
    return this.#session?.id;
  }

  /** The chat begins; what is typed meanwhile is done after that. */
  begin(wish: Wish): void {
    this.#typed = this.#open(wish).catch((error: unknown) => {
      this.#view.end();
      this.#isOver = true;
      this.#fail(error);
    });
  }

  /** A text was typed. Resolves when all that follows from it is done, but for a prompt's turn. */
  typed(text: string): Promise<void> {
    this.#mayLeave = false;
    this.#typed = this.#typed
      .then(() => (this.#isOver ? undefined : this.#take(text)))
      .catch((error: unknown) => {
        if (!this.#isOver) this.#complain(error);
      })
      .then(() => {
        this.#tellSettings();
        this.#changed();
      });
    return this.#typed;
  }

  /** A key was struck: the next Ctrl-C is a first one again. */
  touched(): void {
    this.#mayLeave = false;
  }

  /** When no prompt of ours runs or waits. */
  untilIdle(): Promise<void> {
    if (!this.#session || this.#session.sent.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle.push(resolve);
    });
  }

  /** Ctrl-C: cancels what runs; again, or when nothing runs, leaves. */
  interrupt(): void {
    const running = this.#session?.running;
    if (this.#commands.isPicking) {
      this.#commands.unpick();
      this.#changed();
    } else if (running && !running.isCancelled) {
      this.#session?.cancel(running);
      this.#mayLeave = true;
      this.#note("Cancelling; Ctrl-C again leaves.");
    } else if (running || this.#mayLeave) this.leave();
    else {
      this.#mayLeave = true;
      this.#note("Ctrl-C again leaves.");
    }
  }

  /** What runs goes on in the hall. */
  leave(): void {
    const session = this.#session;
    this.#answers.end();
    this.#view.end();
    const open = session?.sent.filter(({ isCancelled }) => !isCancelled).length ?? 0;
    if (open > 0) this.#note("What runs and waits goes on in the hall.");
    session?.leave();
    this.#opening?.leave();
    this.#isOver = true;
    this.#finish(this.#parts.isAttended ? 0 : this.#code);
  }

  // What is typed

  async #take(text: string): Promise<void> {
    const session = this.#present;
    if (await this.#commands.picks(text)) return;
    const line = typedLine(text, session.commands);
    switch (line.what) {
      case "nothing":
        break;
      case "prompt":
        session.send(line.text);
        break;
      case "own":
        this.#echo(text);
        await this.#commands.obey(line.name, line.words, session);
        break;
      case "unknown":
        this.#echo(text);
        this.#note(
          `Neither this chat nor the agent has a command /${line.name}; /help lists those that there are.`,
          `//${line.name} sends it as it is.`,
        );
        break;
    }
  }

  /** The session of before is left when the new one is there. */
  async #open(wish: Wish): Promise<void> {
    const session = new ChatSession({
      ...this.#parts,
      answers: this.#answers,
      see: (update, turn) => this.#see(update, turn),
      ended: (sent, outcome) => this.#ended(sent, outcome),
      changed: () => this.#changed(),
      told: (news) => this.#told(news),
      lost: () => this.#lost(),
    });
    this.#opening = session;
    this.#changed();
    try {
      await session.open(wish);
    } finally {
      this.#opening = undefined;
    }
    if (this.#isOver) return;
    this.#leaveSession();
    this.#session = session;
    this.#isAway = false;
    this.#welcome(session);
    session.begin();
    this.#changed();
  }

  #leaveSession(): void {
    const session = this.#session;
    if (!session) return;
    this.#answers.end();
    this.#view.end();
    if (session.sent.length > 0) this.#note(`What runs and waits in ${session.id} goes on there.`);
    session.leave();
    for (const ring of this.#idle.splice(0)) ring();
  }

  // What comes

  #see(update: Fields, turn: string | undefined): void {
    if (kindOf(update) === "user_message_chunk" && turn !== this.#turn) {
      this.#turn = turn;
      this.#view.begin();
    }
    this.#view.see(update, turn);
    if (tellsState(kindOf(update))) this.#tellSettings();
  }

  #ended({ text, key, hasBegun }: Sent, outcome: TurnOutcome): void {
    const { yellow } = this.#paint;
    this.#code = outcomeCode(outcome);
    const isFine = "stopReason" in outcome && outcome.stopReason === "end_turn";
    // One that never began stands nowhere yet.
    if (!hasBegun) this.#see(userLine(text), key);
    this.#view.end();
    // After the hall was away, the next turn may have begun before the answer to this one came.
    if (key !== this.#turn && !isFine) this.#note(`Of the prompt “${firstLine(text)}”:`);
    if ("error" in outcome) this.#complain(outcome.error);
    else if (outcome.stopReason !== "end_turn")
      this.#view.note(yellow(`The turn ended: ${printable(outcome.stopReason)}.`));
    if (this.#session?.sent.length === 0) for (const ring of this.#idle.splice(0)) ring();
  }

  #welcome({ id, slot, earlier, settings }: ChatSession): void {
    const { dim } = this.#paint;
    this.#view.begin();
    this.#turn = undefined;
    this.#known = currents(settings.all);
    if (earlier.left > 0)
      this.#note(`${earlier.left} earlier turns; hall attach ${id} --from start shows them.`);
    for (const { update, turn } of earlier.updates) this.#see(update, turn);
    this.#view.end();
    this.#view.note(
      dim(`${slot === undefined ? "" : `${slot}, `}session ${id}. /help lists what can be typed.`),
    );
  }

  /** What is in force and was not when it was told last, whoever chose it. */
  #tellSettings(): void {
    const all = this.#session?.settings.all ?? [];
    const known = this.#known;
    this.#known = currents(all);
    for (const { id, name, current, choices } of all) {
      if (known.get(id) === current) continue;
      const choice = choices.find(({ value }) => value === current);
      this.#note(printable(`${name}: ${choice?.name ?? current}`));
    }
  }

  #told(news: BridgeNews): void {
    this.#isAway = news.state === "lost" || news.state === "trying again";
    this.#note(printable(linkNews(news, PATIENCE_MS, "the chat")));
    this.#changed();
  }

  #lost(): void {
    this.#answers.end();
    this.#view.end();
    this.#isOver = true;
    this.#finish(1);
  }

  #complain(error: unknown): void {
    this.#view.note(...complaint(error).trimEnd().split("\n").map(this.#paint.red));
  }

  #note(...lines: string[]): void {
    this.#view.note(...lines.map(this.#paint.dim));
  }

  /** What was typed and is no prompt stands there too, unless it stands there by itself. */
  #echo(text: string): void {
    if (!this.#parts.isAttended) return;
    this.#view.end();
    this.#note(`› ${printable(text.trim())}`);
  }

  #changed(): void {
    this.#parts.changed();
  }

  get #present(): ChatSession {
    if (!this.#session) throw new Error("The chat has no session yet.");
    return this.#session;
  }
}

const userLine = (text: string): Fields => ({
  sessionUpdate: "user_message_chunk",
  content: { type: "text", text },
});

/** Enough of a prompt to know it again. */
function firstLine(text: string): string {
  const [line = ""] = printable(text).split("\n");
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

const currents = (settings: readonly Setting[]): Map<string, string> =>
  new Map(settings.map(({ id, current }) => [id, current]));

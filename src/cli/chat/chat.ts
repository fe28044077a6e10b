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
import { listSessions, type SessionChoice, sessionLines } from "./session-choices.ts";
import { chosen, type Setting } from "./session-settings.ts";
import { settingLines } from "./setting-lines.ts";
import { slotLines, slotsIn } from "./slot-choices.ts";
import { helpLines, type OwnName, typedLine } from "./typed-line.ts";

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
  /** The prompt that runs, or is the next to; undefined: none of ours. */
  current: Sent | undefined;
  /** Texts of prompts that wait. */
  waiting: readonly string[];
  /** The hall is lost, and tried again. */
  isAway: boolean;
  commands: readonly AgentCommand[];
}

/** A list that is shown, and what becomes of the number that is typed next. */
interface Pick {
  count: number;
  take(index: number): Promise<void>;
}

/** A chat with the agents of a hall: what is typed, and what follows from it. */
export class Chat {
  /** Resolves with the exit code when it is over. */
  readonly over: Promise<number>;
  readonly #parts: ChatParts;
  readonly #paint: Paint;
  readonly #calls = new ToolCalls();
  readonly #view: TurnView;
  readonly #answers: Answers;
  #session: ChatSession | undefined;
  /** Whose prompt was shown last. */
  #turn: string | undefined;
  /** By setting, what is in force as far as it was told. */
  #known: ReadonlyMap<string, string> = new Map();
  #isAway = false;
  #pick: Pick | undefined;
  /** As they were listed last. */
  #listed: readonly SessionChoice[] = [];
  /** The next Ctrl-C leaves. */
  #mayLeave = false;
  #code = 0;
  #idle: (() => void)[] = [];
  #finish: (code: number) => void = () => {};

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
    this.over = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  get standing(): Standing {
    const session = this.#session;
    const current = session?.running;
    const waiting = session?.sent.filter(({ turn }) => !turn.isRunning) ?? [];
    return {
      label: this.#pick ? "which? › " : `${session?.slot ?? "hall"} › `,
      current,
      waiting: waiting.map(({ text }) => text),
      isAway: this.#isAway,
      commands: session?.commands ?? [],
    };
  }

  /** Its session's id, once there is one. */
  get sessionId(): string | undefined {
    return this.#session?.id;
  }

  /** Rejects as `ChatSession.open` does. */
  async open(wish: Wish): Promise<void> {
    const session = await ChatSession.open(wish, {
      ...this.#parts,
      answers: this.#answers,
      see: (update, turn) => this.#see(update, turn),
      ended: (sent, outcome) => this.#ended(sent, outcome),
      changed: () => this.#changed(),
      told: (news) => this.#told(news),
      lost: () => this.#lost(),
    });
    this.#answers.end();
    this.#session?.leave();
    this.#session = session;
    this.#welcome(session);
    session.begin();
    this.#changed();
  }

  /** A text was typed. Resolves when all that follows from it is done, but for a prompt's turn. */
  async typed(text: string): Promise<void> {
    this.#mayLeave = false;
    const pick = this.#pick;
    this.#pick = undefined;
    this.#changed();
    try {
      if (pick && /^\s*(\d+\s*)?$/.test(text)) await this.#picked(pick, text.trim());
      else await this.#take(text);
    } catch (error) {
      this.#complain(error);
    }
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
    if (this.#pick) {
      this.#pick = undefined;
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
    this.#finish(this.#parts.isAttended ? 0 : this.#code);
  }

  // What is typed

  async #take(text: string): Promise<void> {
    const session = this.#present;
    const line = typedLine(text, session.commands);
    switch (line.what) {
      case "nothing":
        break;
      case "prompt":
        session.send(line.text);
        break;
      case "own":
        this.#echo(text);
        await this.#obey(line.name, line.words);
        break;
      case "unknown":
        this.#echo(text);
        this.#note(
          `Neither this chat nor the agent has a command /${printable(line.name)}; /help lists those that there are.`,
          `//${printable(line.name)} sends it as it is.`,
        );
        break;
    }
  }

  async #obey(name: OwnName, words: string): Promise<void> {
    switch (name) {
      case "help":
        this.#view.note(...helpLines(this.#present.commands, this.#paint));
        break;
      case "cancel":
        this.#cancel(words);
        break;
      case "new":
        await this.open({ slot: this.#present.slot, cwd: this.#parts.cwd });
        break;
      case "slot":
        await this.#slot(words);
        break;
      case "sessions":
        await this.#sessions(words);
        break;
      case "mode":
        await this.#mode(words);
        break;
      case "quit":
        this.leave();
        break;
    }
  }

  #cancel(words: string): void {
    const session = this.#present;
    const { running } = session;
    if (words === "all" || !running) session.cancelAll();
    else session.cancel(running);
    if (!running) this.#note("None of your prompts runs; what others run here is asked to end.");
  }

  async #slot(name: string): Promise<void> {
    const session = this.#present;
    const slots = slotsIn(session.connection.introduction);
    const open = (slot: string) => this.open({ slot, cwd: this.#parts.cwd });
    if (name !== "") await open(name);
    else {
      this.#view.note(...slotLines(slots, session.slot, this.#paint));
      this.#offer(slots.length, async (index) => open(slots[index]?.name ?? ""));
    }
  }

  async #sessions(words: string): Promise<void> {
    if (words !== "") {
      await this.open({ id: this.#listed[Number(words) - 1]?.id ?? words });
      return;
    }
    const { connection, id } = this.#present;
    const sessions = await listSessions(connection);
    this.#listed = sessions;
    this.#view.note(...sessionLines(sessions, id, this.#paint));
    this.#offer(sessions.length, async (index) => this.open({ id: sessions[index]?.id ?? "" }));
  }

  async #mode(words: string): Promise<void> {
    const { settings } = this.#present;
    if (words === "") {
      this.#view.note(...settingLines(settings.all, this.#paint));
      const pairs = settings.all.flatMap(({ id, choices }) => choices.map(({ value }) => `${id} ${value}`));
      this.#offer(pairs.length, async (index) => this.#mode(pairs[index] ?? ""));
      return;
    }
    const choice = chosen(settings.all, words);
    if (typeof choice === "string") {
      this.#note(choice);
      return;
    }
    await this.#present.choose(...choice);
    this.#tellSettings();
  }

  /** Where a person types, the number alone is enough. */
  #offer(count: number, take: Pick["take"]): void {
    if (!this.#parts.isAttended || count === 0) return;
    this.#pick = { count, take };
    this.#changed();
  }

  async #picked({ count, take }: Pick, digits: string): Promise<void> {
    const number = Number(digits);
    if (number >= 1 && number <= count) await take(number - 1);
    else if (digits !== "") this.#note(`There is no ${digits} in the list.`);
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

  #ended({ text, key }: Sent, outcome: TurnOutcome): void {
    const { yellow } = this.#paint;
    this.#code = outcomeCode(outcome);
    // One that never began stands nowhere yet.
    if (key !== this.#turn) this.#see(userLine(text), key);
    this.#view.end();
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
    const { all } = this.#present.settings;
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

const currents = (settings: readonly Setting[]): Map<string, string> =>
  new Map(settings.map(({ id, current }) => [id, current]));

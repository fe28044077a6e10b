import type { Cancel, Clock } from "../../ground/clock.ts";
import { messageOf } from "../../ground/thrown.ts";
import { elapsed } from "../elapsed.ts";
import { paint } from "../paint.ts";
import { TerminalQuestions } from "../terminal-questions.ts";
import type { TurnView } from "../turn-view.ts";
import type { Chat, Standing } from "./chat.ts";
import { ChatKeyboard, type KeySource } from "./chat-keyboard.ts";
import { footOf } from "./foot.ts";
import { FootedScreen, type Terminal } from "./footed-screen.ts";
import { LineEditor } from "./line-editor.ts";
import { PromptHistory } from "./prompt-history.ts";
import { completions, hintFor } from "./typed-line.ts";

export interface TerminalOutput extends Terminal {
  readonly rows: number;
  on(event: "resize", resized: () => void): unknown;
  off(event: "resize", resized: () => void): unknown;
}

export interface ChatTerminalParts {
  input: KeySource;
  output: TerminalOutput;
  clock: Clock;
  /** Where what was typed is kept. */
  stateFolder: string;
  /** This process stops, as a shell's jobs do on Ctrl-Z; called again when it goes on. */
  suspend(goOn: () => void): void;
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;

/** A chat at a terminal: the line that is typed stays at the bottom, and what happens runs on above it. */
export class ChatTerminal {
  readonly screen: FootedScreen;
  readonly #parts: ChatTerminalParts;
  readonly #keyboard: ChatKeyboard;
  readonly #history: PromptHistory;
  readonly #editor: LineEditor;
  #chat: Chat | undefined;
  #isLent = false;
  #frame = 0;
  #stopSpinner: Cancel | undefined;
  #historyFailed = false;

  constructor(parts: ChatTerminalParts) {
    this.#parts = parts;
    const { input, output, stateFolder } = parts;
    this.screen = new FootedScreen(output);
    this.#history = new PromptHistory(stateFolder);
    this.#editor = new LineEditor({
      history: this.#history.read(),
      complete: (text) => completions(text, this.#chat?.standing.commands ?? []),
      submitted: (text) => this.#submitted(text),
      changed: () => this.show(),
    });
    this.#keyboard = new ChatKeyboard({
      input,
      output,
      key: (character, key) => {
        if (key.ctrl && key.name === "c") this.#interrupt();
        else if (key.ctrl && key.name === "d" && this.#editor.text === "") this.#chat?.leave();
        else if (key.ctrl && key.name === "l") this.screen.clear();
        else if (key.ctrl && key.name === "z") this.#suspend();
        else {
          this.#chat?.touched();
          this.#editor.press(character, key);
        }
      },
      pasted: (text) => this.#editor.insert(text),
      lent: (isLent) => {
        this.#isLent = isLent;
        this.show();
      },
    });
  }

  questions(view: TurnView): TerminalQuestions {
    const { clock } = this.#parts;
    const interrupt = (): void => this.#chat?.interrupt();
    return new TerminalQuestions({
      keys: this.#keyboard.lending,
      screen: this.screen,
      view,
      clock,
      interrupt,
    });
  }

  /** From now on keys go to this chat, until it is over. Resolves with its exit code. */
  async run(chat: Chat): Promise<number> {
    const { output } = this.#parts;
    const resized = (): void => {
      this.screen.resized();
      this.show();
    };
    this.#chat = chat;
    output.on("resize", resized);
    this.#keyboard.open();
    this.show();
    try {
      return await chat.over;
    } finally {
      this.#chat = undefined;
      this.#stopSpinner?.();
      this.screen.rest();
      output.off("resize", resized);
      this.#keyboard.close();
      this.#editor.close();
    }
  }

  /** How the chat stands, or what is typed, is another. */
  show(): void {
    const chat = this.#chat;
    if (!chat) return;
    const { standing } = chat;
    this.#spin((standing.current !== undefined || standing.isOpening) && !this.#isLent);
    if (this.#isLent) {
      this.screen.stand(undefined);
      return;
    }
    const { columns, rows } = this.#parts.output;
    const { text, cursor } = this.#editor;
    const { label, waiting, commands } = standing;
    const status = this.#statusOf(standing);
    const hint = hintFor(text, commands);
    this.screen.stand(
      footOf({ status, waiting, label, text, cursor, hint, columns, rows }, paint(this.screen)),
    );
  }

  #statusOf({ current, isAway, isOpening }: Standing): string {
    const spinner = FRAMES[this.#frame % FRAMES.length];
    if (isOpening) return `${spinner} The session is being opened.`;
    if (!current) return isAway ? "The hall is away; what is typed waits for it." : "";
    const age = elapsed(this.#parts.clock.monotonic() - current.since);
    const what = isAway
      ? "the hall is away"
      : current.isCancelled
        ? "cancelling, Ctrl-C again leaves"
        : "Ctrl-C cancels";
    return `${spinner} ${age} · ${what}`;
  }

  #spin(isWanted: boolean): void {
    if (!isWanted) {
      this.#stopSpinner?.();
      this.#stopSpinner = undefined;
    } else
      this.#stopSpinner ??= this.#parts.clock.after(FRAME_MS, () => {
        this.#frame += 1;
        this.#stopSpinner = undefined;
        this.show();
      });
  }

  #submitted(text: string): void {
    try {
      if (!this.#chat?.standing.isPicking) this.#history.add(text);
    } catch (error) {
      if (!this.#historyFailed) this.screen.write(`What is typed cannot be kept: ${messageOf(error)}\n`);
      this.#historyFailed = true;
    }
    void this.#chat?.typed(text);
  }

  /** A line that is being typed is dropped first, unless there is something to cancel. */
  #interrupt(): void {
    const chat = this.#chat;
    if (this.#editor.text !== "" && !chat?.standing.current) this.#editor.clear();
    else chat?.interrupt();
  }

  #suspend(): void {
    this.screen.rest();
    this.#keyboard.suspend();
    this.#parts.suspend(() => {
      this.#keyboard.resume();
      this.show();
    });
  }
}

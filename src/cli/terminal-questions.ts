import type { Clock } from "../ground/clock.ts";
import { callDetail } from "./call-detail.ts";
import type { Choice } from "./choices.ts";
import { type KeyInput, listenForKeys } from "./keyboard.ts";
import { type Paint, paint } from "./paint.ts";
import { printable } from "./printable.ts";
import type { ToolCall } from "./tool-calls.ts";
import type { Screen, TurnView } from "./turn-view.ts";

/** Keys that were struck before anybody can have read the question do not answer it. */
const READING_MS = 400;
const CTRL_C = "\x03";

export interface TerminalParts {
  keys: KeyInput;
  screen: Screen;
  view: TurnView;
  clock: Clock;
  /** Ctrl-C while a question stands there. */
  interrupt(): void;
}

interface Waiting {
  call: ToolCall;
  choices: readonly Choice[];
  answer(choice: Choice): void;
}

/** Permission questions on a terminal: one at a time, each answered with a key. */
export class TerminalQuestions {
  readonly #parts: TerminalParts;
  readonly #paint: Paint;
  #queue: Waiting[] = [];
  #stop: (() => void) | undefined;

  constructor(parts: TerminalParts) {
    this.#parts = parts;
    this.#paint = paint(parts.screen);
  }

  /** Asks when all that were asked before are answered. What is called takes the question back. */
  ask(call: ToolCall, choices: readonly Choice[], answer: (choice: Choice) => void): () => void {
    const waiting = { call, choices, answer };
    this.#queue.push(waiting);
    if (this.#queue[0] === waiting) this.#show(waiting);
    return () => this.#takeBack(waiting);
  }

  #show({ call, choices }: Waiting): void {
    const { keys, view, clock } = this.#parts;
    const { bold, dim, yellow } = this.#paint;
    const title = printable(call.title).replaceAll("\n", " ");
    view.asks(call);
    view.note(
      `${yellow("?")} ${bold(title)}${call.kind === "" ? "" : `  ${dim(call.kind)}`}`,
      ...callDetail(call, this.#paint).map((line) => `    ${line}`),
      ...choices.map(
        ({ name, key }, at) => `  ${bold(String(at + 1))}  ${printable(name)}${key && dim(` (${key})`)}`,
      ),
    );
    let typed: string | undefined;
    const prompt = clock.after(READING_MS, () => {
      typed = "";
      view.hang("› ");
    });
    const hangUp = listenForKeys(keys, (key) => {
      if (key === CTRL_C) this.#parts.interrupt();
      else if (typed !== undefined) typed = this.#press(key, typed);
    });
    this.#stop = () => {
      prompt();
      hangUp();
    };
  }

  /** What stands typed after this key: digits, where the options are more than the digits are. */
  #press(key: string, typed: string): string {
    const [asked] = this.#queue;
    if (!asked) return "";
    const { choices } = asked;
    const isDigit = key >= "0" && key <= "9";
    const isMany = choices.length > 9;
    const byKey = choices.find((choice) => choice.key === key.toLowerCase());
    if (byKey) this.#answer(asked, byKey);
    else if (isDigit && isMany) this.#parts.view.hang(key);
    else if (isDigit) this.#answer(asked, choices[Number(key) - 1]);
    else if (key === "\r") this.#answer(asked, choices[Number(typed) - 1]);
    return isDigit && isMany ? typed + key : "";
  }

  /** Undefined: no such option; the question stays. */
  #answer(asked: Waiting, choice: Choice | undefined): void {
    if (!choice) return;
    this.#parts.view.hang(printable(choice.name));
    this.#next();
    asked.answer(choice);
  }

  #takeBack(waiting: Waiting): void {
    const isShown = this.#queue[0] === waiting;
    if (isShown) {
      this.#parts.view.note(this.#paint.dim("It is no longer asked."));
      this.#next();
    } else this.#queue = this.#queue.filter((other) => other !== waiting);
  }

  #next(): void {
    this.#stop?.();
    this.#stop = undefined;
    this.#queue.shift();
    const [next] = this.#queue;
    if (next) this.#show(next);
  }
}

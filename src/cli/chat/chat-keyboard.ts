import { emitKeypressEvents, type Key } from "node:readline";
import type { KeyInput } from "../keyboard.ts";

/** A terminal's stdin, as far as it is needed here. */
export interface KeySource extends NodeJS.ReadableStream {
  setRawMode(isRaw: boolean): unknown;
}

export interface ChatKeyboardParts {
  input: KeySource;
  /** Where the terminal is told how to send what is pasted. */
  output: { write(text: string): unknown };
  key(character: string | undefined, key: Key): void;
  /** Text that was pasted, with newlines in it perhaps. */
  pasted(text: string): void;
  /** Somebody else has the keys, or has them no more. */
  lent(isLent: boolean): void;
}

const PASTES_AS_ONE = "\x1b[?2004h";
const PASTES_AS_KEYS = "\x1b[?2004l";

/** The keys of a terminal: they go to the chat, or while a question stands there, to that. */
export class ChatKeyboard {
  readonly #parts: ChatKeyboardParts;
  #borrower: ((bytes: Buffer) => void) | undefined;
  /** What was pasted so far; undefined: nothing is being pasted. */
  #paste: string | undefined;

  constructor(parts: ChatKeyboardParts) {
    this.#parts = parts;
  }

  open(): void {
    const { input } = this.#parts;
    emitKeypressEvents(input);
    input.on("keypress", this.#pressed);
    this.resume();
    input.resume();
  }

  /** The terminal is as it was. */
  close(): void {
    const { input } = this.#parts;
    this.suspend();
    input.off("keypress", this.#pressed);
    input.pause();
  }

  /** The terminal is the shell's for a while. */
  suspend(): void {
    this.#parts.output.write(PASTES_AS_KEYS);
    this.#parts.input.setRawMode(false);
  }

  resume(): void {
    this.#parts.input.setRawMode(true);
    this.#parts.output.write(PASTES_AS_ONE);
  }

  /** For who wants single keys for a while. */
  get lending(): KeyInput {
    return {
      setRawMode() {},
      resume() {},
      pause() {},
      on: (_event, take) => this.#lend(take),
      off: () => this.#lend(undefined),
    };
  }

  #lend(borrower: ((bytes: Buffer) => void) | undefined): void {
    this.#borrower = borrower;
    this.#parts.lent(borrower !== undefined);
  }

  readonly #pressed = (character: string | undefined, key: Key): void => {
    if (key.name === "paste-start") this.#paste = "";
    else if (key.name === "paste-end") this.#pasted();
    else if (this.#paste !== undefined) this.#paste += key.sequence ?? "";
    else if (this.#borrower) this.#borrower(Buffer.from(key.sequence ?? ""));
    else this.#parts.key(character, key);
  };

  /** A paste is never an answer to a question. */
  #pasted(): void {
    const text = this.#paste ?? "";
    this.#paste = undefined;
    if (!this.#borrower) this.#parts.pasted(text);
  }
}

import type { KeyInput } from "../../src/cli/keyboard.ts";
import type { Screen } from "../../src/cli/turn-view.ts";

/** A stream that keeps what is written to it. */
export class FakeScreen implements Screen {
  readonly isTTY: boolean;
  text = "";

  constructor(isTTY = false) {
    this.isTTY = isTTY;
  }

  write(text: string): void {
    this.text += text;
  }

  /** Without colours. */
  get plain(): string {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one.
    return this.text.replaceAll(/\x1b\[\d+m/g, "");
  }
}

/** A keyboard without a terminal. */
export class FakeKeys implements KeyInput {
  isRaw = false;
  isRead = false;
  #take: ((bytes: Buffer) => void) | undefined;

  setRawMode(isRaw: boolean): void {
    this.isRaw = isRaw;
  }

  on(_event: "data", take: (bytes: Buffer) => void): void {
    this.#take = take;
  }

  off(): void {
    this.#take = undefined;
  }

  resume(): void {
    this.isRead = true;
  }

  pause(): void {
    this.isRead = false;
  }

  press(keys: string): void {
    this.#take?.(Buffer.from(keys));
  }
}

const CTRL_C = "\u0003";

/** What a keyboard needs of a terminal's input. */
export interface KeyInput {
  setRawMode(isRaw: boolean): unknown;
  setEncoding(encoding: "utf8"): unknown;
  on(event: "data", listener: (text: string) => void): unknown;
  off(event: "data", listener: (text: string) => void): unknown;
  pause(): unknown;
  unref(): unknown;
}

interface Wait {
  keys: readonly string[];
  pressed(key: string): void;
}

/** A terminal's keys, one by one. What nobody waits for is dropped, and never echoed into the show. */
export class Keyboard {
  readonly #input: KeyInput;
  readonly #interrupted: () => void;
  #wait: Wait | undefined;

  /** `interrupted`: Ctrl-C, which no longer arrives as a signal. */
  constructor(input: KeyInput, interrupted: () => void) {
    this.#input = input;
    this.#interrupted = interrupted;
  }

  open(): void {
    this.#input.setRawMode(true);
    this.#input.setEncoding("utf8");
    this.#input.on("data", this.#typed);
  }

  /** Gives the terminal back as it was. */
  close(): void {
    this.#input.off("data", this.#typed);
    this.#input.setRawMode(false);
    this.#input.pause();
    this.#input.unref();
  }

  /** The next of these keys that is pressed; undefined when the wait was given up. One waits at a time. */
  press(keys: readonly string[], givenUp: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve) => {
      const settle = (key: string | undefined): void => {
        this.#wait = undefined;
        givenUp.removeEventListener("abort", stop);
        resolve(key);
      };
      const stop = (): void => settle(undefined);
      givenUp.addEventListener("abort", stop);
      this.#wait = { keys, pressed: settle };
    });
  }

  readonly #typed = (text: string): void => {
    for (const key of text.toLowerCase()) {
      if (key === CTRL_C) this.#interrupted();
      else if (this.#wait?.keys.includes(key)) this.#wait.pressed(key);
    }
  };
}

import { createInterface, type Interface, type Key } from "node:readline";
import { Readable, Writable } from "node:stream";

export interface LineEditorParts {
  /** What was typed before, the newest first. */
  history: readonly string[];
  /** What the text before the cursor can become. */
  complete(text: string): string[];
  submitted(text: string): void;
  changed(): void;
}

/** Stands for a newline in Node's line, which has none: a character that nobody types. */
const NEWLINE = "\uE00A";
const HISTORY = 1_000;

/** A text that is being typed: Node edits it, with its keys and its history; whoever made this shows it. */
export class LineEditor {
  readonly #line: Interface;

  constructor({ history, complete, submitted, changed }: LineEditorParts) {
    // What Node would draw is dropped, but tells that something changed.
    const output = new Writable({
      write(_bytes, _encoding, written) {
        changed();
        written();
      },
    });
    this.#line = createInterface({
      // Keys come by `press`.
      input: new Readable({ read() {} }),
      output,
      terminal: true,
      prompt: "",
      history: history.map(inner),
      historySize: HISTORY,
      removeHistoryDuplicates: true,
      completer: (text: string) => [complete(outer(text)).map(inner), text],
    });
    this.#line.on("line", (text) => submitted(outer(text)));
    this.#line.on("history", (entries) => {
      if (!isKept(entries[0] ?? "")) entries.shift();
    });
  }

  get text(): string {
    return outer(this.#line.line);
  }

  /** Where in the text, in UTF-16 units. */
  get cursor(): number {
    return this.#line.cursor;
  }

  /** A key, as node:readline tells them. */
  press(character: string | undefined, key: Key): void {
    const { name, meta } = key;
    if (name === "enter" || (name === "return" && meta)) this.insert("\n");
    else if (name === "return" && this.text.endsWith("\\") && this.cursor === this.text.length) {
      this.#line.write(null, { name: "backspace" });
      this.insert("\n");
    } else this.#line.write(character, key);
  }

  insert(text: string): void {
    this.#line.write(inner(text));
  }

  clear(): void {
    this.#line.write(null, { name: "e", ctrl: true });
    this.#line.write(null, { name: "u", ctrl: true });
  }

  close(): void {
    this.#line.close();
  }
}

/** As in a shell: what begins with a space is not remembered. */
export const isKept = (text: string): boolean => text.trim() !== "" && !text.startsWith(" ");

const inner = (text: string): string => text.replaceAll(/\r\n?|\n|\u2028|\u2029/g, NEWLINE);
const outer = (text: string): string => text.replaceAll(NEWLINE, "\n");

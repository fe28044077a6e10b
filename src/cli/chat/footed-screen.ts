import { stripVTControlCharacters } from "node:util";
import stringWidth from "string-width";
import type { Screen } from "../turn-view.ts";

/** The terminal that is written to. Its size changes as a person likes. */
export interface Terminal {
  readonly columns: number;
  write(text: string): unknown;
}

/** Lines that stay below the text, each shorter than the terminal is wide, and where the cursor stands in them. */
export interface Foot {
  readonly lines: readonly string[];
  readonly row: number;
  readonly column: number;
}

const TAB = 8;
const ASCII = /^[ -~]*$/;
const characters = new Intl.Segmenter();

/**
 * A terminal on which text runs on while something stays at the bottom: before anything is written the foot is taken
 * away, and behind it the foot is drawn again. The text is left as it is, so the terminal's own scrolling and copying
 * work on it.
 */
export class FootedScreen implements Screen {
  readonly isTTY = true;
  readonly #terminal: Terminal;
  #foot: Foot | undefined;
  #drawn: Foot | undefined;
  /** Where the text goes on; the terminal's width: behind the last column, as terminals have it until more comes. */
  #column = 0;
  /** Cells of the text's last line, over all of its rows. */
  #length = 0;
  /** The text's last row is full, and we are on the one below it already. */
  #isBelowFullRow = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Text, in which the only controls are newlines, tabs and colours. */
  write(text: string): void {
    if (text !== "") this.#draw(text);
  }

  /** Undefined: none; the cursor stands where the text goes on. */
  stand(foot: Foot | undefined): void {
    if (sameFoot(foot, this.#drawn)) return;
    this.#foot = foot;
    this.#draw("");
  }

  /** After a change of the terminal's size: it has broken the text's last line anew. */
  resized(): void {
    this.#column = this.#length === 0 ? 0 : ((this.#length - 1) % this.#terminal.columns) + 1;
    this.#draw("");
  }

  /** The terminal is somebody else's: no foot, and what comes later begins on a row of its own. */
  rest(): void {
    this.stand(undefined);
    if (this.#column > 0) this.write("\n");
  }

  /** An empty terminal, with the foot at its top. */
  clear(): void {
    this.#drawn = undefined;
    this.#column = 0;
    this.#length = 0;
    this.#isBelowFullRow = false;
    this.#terminal.write("\x1b[H\x1b[2J");
    this.#draw("");
  }

  #draw(text: string): void {
    const isBare = !this.#drawn && !this.#foot;
    const drawn = this.#takeAway() + this.#text(text) + this.#put();
    // The cursor is not seen to run about.
    this.#terminal.write(isBare ? drawn : `\x1b[?25l${drawn}\x1b[?25h`);
  }

  /** To where the text goes on. */
  #takeAway(): string {
    const drawn = this.#drawn;
    this.#drawn = undefined;
    if (!drawn) return "";
    const { columns } = this.#terminal;
    // A terminal that became narrower has broken what stood there into more rows.
    const rowsOf = (line: string): number => Math.max(1, Math.ceil(stringWidth(line) / columns));
    const above = drawn.lines.slice(0, drawn.row).reduce((sum, line) => sum + rowsOf(line), 0);
    const up = above + Math.floor(drawn.column / columns);
    const toFoot = `\r${up > 0 ? `\x1b[${up}A` : ""}\x1b[J`;
    if (this.#column === 0) return toFoot;
    if (this.#column < columns) return `${toFoot}\x1b[1A\x1b[${this.#column + 1}G`;
    this.#column = 0;
    this.#isBelowFullRow = true;
    return toFoot;
  }

  #text(text: string): string {
    if (text === "") return "";
    const rest = this.#isBelowFullRow && text.startsWith("\n") ? text.slice(1) : text;
    this.#isBelowFullRow = false;
    return rest
      .split("\t")
      .map((piece, at) => {
        const from = this.#column % this.#terminal.columns;
        const spaces = at === 0 ? "" : " ".repeat(TAB - (from % TAB));
        this.#advance(spaces + piece);
        return spaces + piece;
      })
      .join("");
  }

  #advance(text: string): void {
    const lines = stripVTControlCharacters(text).split("\n");
    const last = lines.at(-1) ?? "";
    if (lines.length > 1) [this.#column, this.#length] = [0, 0];
    this.#length += stringWidth(last);
    const { columns } = this.#terminal;
    if (ASCII.test(last)) {
      const end = this.#column + last.length;
      this.#column = end <= columns ? end : ((end - 1) % columns) + 1;
      return;
    }
    for (const { segment } of characters.segment(last)) {
      const width = stringWidth(segment);
      this.#column = this.#column + width > columns ? width : this.#column + width;
    }
  }

  #put(): string {
    const foot = this.#foot;
    this.#drawn = foot;
    if (!foot) return "";
    const below = foot.lines.length - 1 - foot.row;
    return (
      (this.#column > 0 ? "\n" : "") +
      foot.lines.join("\n") +
      (below > 0 ? `\x1b[${below}A` : "") +
      `\x1b[${foot.column + 1}G`
    );
  }
}

const sameFoot = (one: Foot | undefined, other: Foot | undefined): boolean =>
  one === other ||
  (one !== undefined &&
    other !== undefined &&
    one.row === other.row &&
    one.column === other.column &&
    one.lines.length === other.lines.length &&
    one.lines.every((line, at) => line === other.lines[at]));

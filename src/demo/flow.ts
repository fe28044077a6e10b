import type { Stage, Style } from "./stage.ts";

/** Blank lines in a row that are shown; more say nothing. */
const MOST_BREAKS = 2;

/**
 * Text that arrives in pieces, shown word by word, wrapped at the stage's width behind a margin. A word is shown
 * when it is whole: when a space, or the end, follows it.
 */
export class Flow {
  readonly #stage: Stage;
  readonly #margin: string;
  readonly #style: Style;
  #column: number;
  #word = "";
  /** What stands between the last word and the next. */
  #gap: "none" | "space" | number = "none";

  /** The cursor stands behind a margin of `margin` columns already. */
  constructor(stage: Stage, margin: number, style: Style) {
    this.#stage = stage;
    this.#margin = " ".repeat(margin);
    this.#style = style;
    this.#column = margin;
  }

  push(text: string): void {
    for (const part of text.match(/\n|[^\S\n]+|\S+/g) ?? []) {
      if (part.trim() !== "") this.#word += part;
      else this.#space(part === "\n");
    }
  }

  /** Nothing more comes; the cursor goes to the next line. */
  end(): void {
    this.#showWord();
    this.#stage.write("\n");
  }

  #space(isBreak: boolean): void {
    this.#showWord();
    if (isBreak) this.#gap = Math.min((typeof this.#gap === "number" ? this.#gap : 0) + 1, MOST_BREAKS);
    else if (this.#gap === "none") this.#gap = "space";
  }

  #showWord(): void {
    if (this.#word === "") return;
    const width = [...this.#word].length;
    this.#stage.write(this.#between(width) + this.#stage.styled(this.#style, this.#word));
    this.#column += width;
    this.#word = "";
    this.#gap = "none";
  }

  #between(width: number): string {
    const atStart = this.#column === this.#margin.length;
    if (typeof this.#gap === "number") return atStart ? "" : this.#newLine(this.#gap);
    const space = this.#gap === "space" && !atStart ? 1 : 0;
    if (!atStart && this.#column + space + width > this.#stage.columns) return this.#newLine(1);
    this.#column += space;
    return " ".repeat(space);
  }

  #newLine(lines: number): string {
    this.#column = this.#margin.length;
    return "\n".repeat(lines) + this.#margin;
  }
}

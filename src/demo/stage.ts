import { styleText } from "node:util";

/** As `styleText` takes it; `plain` is the terminal's own look. */
export type Style = Parameters<typeof styleText>[0] | "plain";

/** What a stage needs of stdout. */
export interface Output {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

/** Columns of text that is not for a terminal, and most of one that is: longer lines tire. */
const PIPED_COLUMNS = 88;
const MOST_COLUMNS = 96;

/** Where the show is seen: a terminal, with colour unless it is not wanted, or a pipe, without. */
export class Stage {
  readonly isTerminal: boolean;
  readonly #output: Output;
  readonly #hasColour: boolean;
  #isDark = false;

  constructor(output: Output, environment: NodeJS.ProcessEnv) {
    this.#output = output;
    this.isTerminal = output.isTTY === true;
    this.#hasColour = this.isTerminal && !environment.NO_COLOR && environment.TERM !== "dumb";
  }

  get columns(): number {
    if (!this.isTerminal) return PIPED_COLUMNS;
    return Math.min(this.#output.columns || PIPED_COLUMNS, MOST_COLUMNS);
  }

  write(text: string): void {
    if (!this.#isDark) this.#output.write(text);
  }

  /** Takes the last lines of a terminal off again. */
  takeBack(lines: number): void {
    this.write(`\r\u001b[${lines}A\u001b[J`);
  }

  styled(style: Style, text: string): string {
    if (!this.#hasColour || style === "plain") return text;
    return styleText(style, text, { validateStream: false });
  }

  /** Shows nothing more. */
  goDark(): void {
    this.#isDark = true;
  }
}

import stringWidth from "string-width";

/** A small terminal: it knows what a foot needs, and shows what a person would see. */
export class SmallTerminal {
  columns: number;
  readonly #rows: string[][] = [[]];
  #row = 0;
  #column = 0;

  constructor(columns: number) {
    this.columns = columns;
  }

  /** Without blank rows at the end, and blanks at the end of a row. */
  get rows(): string[] {
    const rows = this.#rows.map((row) =>
      Array.from(row, (cell) => cell ?? " ")
        .join("")
        .trimEnd(),
    );
    while (rows.at(-1) === "") rows.pop();
    return rows;
  }

  get cursor(): { row: number; column: number } {
    return { row: this.#row, column: this.#column };
  }

  write(text: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what moves the cursor begins with one.
    for (const [piece] of text.matchAll(/\x1b\[\??(\d*)[A-Za-z]|[\s\S]/gu)) this.#take(piece);
  }

  #take(piece: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
    const [, count = "", what] = /^\x1b\[(\d*)([A-Za-z])$/.exec(piece) ?? [];
    const steps = Number(count || 1);
    if (what === "A") this.#row = Math.max(0, this.#row - steps);
    else if (what === "G") this.#column = steps - 1;
    else if (what === "H") [this.#row, this.#column] = [0, 0];
    else if (what === "J" && count === "2") this.#rows.splice(0, this.#rows.length, []);
    else if (what === "J") this.#clearDown();
    else if (piece.startsWith("\x1b")) return;
    else if (piece === "\r") this.#column = 0;
    else if (piece === "\n") [this.#row, this.#column] = [this.#row + 1, 0];
    else this.#put(piece);
    while (this.#rows.length <= this.#row) this.#rows.push([]);
  }

  #clearDown(): void {
    this.#rows.splice(this.#row + 1);
    this.#rows[this.#row]?.splice(this.#column);
  }

  /** Behind the last column the cursor waits: the next character begins another row. */
  #put(character: string): void {
    const width = stringWidth(character);
    if (this.#column + width > this.columns) [this.#row, this.#column] = [this.#row + 1, 0];
    while (this.#rows.length <= this.#row) this.#rows.push([]);
    const row = this.#rows[this.#row] ?? [];
    while (row.length < this.#column) row.push(" ");
    row[this.#column] = character;
    if (width === 2) row[this.#column + 1] = "";
    this.#column += width;
  }
}

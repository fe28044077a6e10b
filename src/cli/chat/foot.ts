import stringWidth from "string-width";
import type { Paint } from "../paint.ts";
import { printable } from "../printable.ts";
import type { Foot } from "./footed-screen.ts";

export interface FootParts {
  /** What is going on; an empty string: nothing. */
  status: string;
  /** Prompts that wait for their turn. */
  waiting: readonly string[];
  /** What stands before the line that is typed. */
  label: string;
  text: string;
  /** Where in the text, in UTF-16 units. */
  cursor: number;
  /** What could be typed; an empty string: nothing to say. */
  hint: string;
  columns: number;
  rows: number;
}

/** Prompts that wait and are shown; of more there is the number. */
const MOST_WAITING = 3;
const characters = new Intl.Segmenter();

/** What stands at the bottom of a chat: what goes on, what waits, and the line that is being typed. */
export function footOf(parts: FootParts, { dim, bold }: Paint): Foot {
  const { status, hint, rows } = parts;
  const width = Math.max(1, parts.columns - 1);
  const above = ["", ...(status === "" ? [] : [status]), ...waitingLines(parts.waiting)];
  const below = hint === "" ? [] : [hint];
  const typed = typedRows(parts, width);
  // Always the row with the cursor, with as much before it as there is room for.
  const room = Math.max(1, rows - above.length - below.length - 1);
  const from = Math.max(0, Math.min(typed.row - room + 1, typed.lines.length - room));
  const lines = typed.lines.slice(from, from + room);
  const label = cut(parts.label, width);
  return {
    lines: [
      ...above.map((line) => dim(cut(line, width))),
      ...lines.map((line, at) => (at + from === 0 ? bold(label) + line.slice(label.length) : line)),
      ...below.map((line) => dim(cut(line, width))),
    ],
    row: above.length + typed.row - from,
    column: typed.column,
  };
}

function waitingLines(waiting: readonly string[]): string[] {
  const shown = waiting
    .slice(0, MOST_WAITING)
    .map((text) => `  waits: ${printable(text).replaceAll("\n", " ")}`);
  const more = waiting.length - shown.length;
  return more > 0 ? [...shown, `  and ${more} more`] : shown;
}

/** The typed text in rows, the first behind the label, the others below its end. */
function typedRows({ label: wish, text, cursor }: FootParts, width: number) {
  const label = cut(wish, width);
  const indent = stringWidth(label) < width / 2 ? stringWidth(label) : 0;
  const lines = [label];
  let column = stringWidth(label);
  let place = { row: 0, column };
  const begin = (): void => {
    lines.push(" ".repeat(indent));
    column = indent;
  };
  for (const { segment, index } of characters.segment(text)) {
    const shown = segment === "\n" ? "" : printable(segment).replaceAll("\t", " ");
    const length = stringWidth(shown);
    if (column + length > width) begin();
    if (index <= cursor) place = { row: lines.length - 1, column };
    if (segment === "\n") begin();
    else {
      lines[lines.length - 1] += shown;
      column += length;
    }
  }
  if (cursor >= text.length) {
    if (column >= width) begin();
    place = { row: lines.length - 1, column };
  }
  return { lines, ...place };
}

/** Cut where it would be wider. */
function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let fitting = "";
  for (const { segment } of characters.segment(text)) {
    if (stringWidth(fitting + segment) >= width) break;
    fitting += segment;
  }
  return `${fitting}…`;
}

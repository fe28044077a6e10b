/** One line of a change: kept, taken out or put in. */
export interface DiffLine {
  sign: " " | "-" | "+";
  text: string;
}

/** Lines around a change that show where it is. */
const CONTEXT = 2;

/**
 * The one stretch of lines in which two texts differ, with a little around it. Two changes far apart come out as one
 * long one, which shows too much and hides nothing.
 */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const shorter = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < shorter && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail++;
  return [
    ...signed(" ", old.slice(Math.max(0, head - CONTEXT), head)),
    ...signed("-", old.slice(head, old.length - tail)),
    ...signed("+", fresh.slice(head, fresh.length - tail)),
    ...signed(" ", old.slice(old.length - tail, old.length - tail + CONTEXT)),
  ];
}

const signed = (sign: DiffLine["sign"], lines: readonly string[]): DiffLine[] =>
  lines.map((text) => ({ sign, text }));

/** A newline ends a line and begins none. */
const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

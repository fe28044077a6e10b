/**
 * Stands in a text for what cannot be told before it happens: the value of a variable, the output of a command, the
 * files that a shell's own pattern finds. It can turn out to be any text. Nothing that is judged holds it otherwise.
 */
export const HOLE = "\0";

/**
 * A pattern in which `*` matches any characters, and every other character itself. It is matched without a regular
 * expression, in time that grows with the text and not with its powers: the text is an agent's.
 */
export class Glob {
  readonly source: string;
  /** What stands between the asterisks. */
  readonly #pieces: readonly string[];

  constructor(source: string) {
    this.source = source;
    this.#pieces = source.split(/\*+/);
  }

  /** It matches, whatever the holes of the text turn out to be. */
  covers(text: string): boolean {
    const first = this.#pieces[0] ?? "";
    const last = this.#pieces.at(-1) ?? "";
    if (this.#pieces.length === 1) return text === first;
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const piece of this.#pieces.slice(1, -1)) {
      const found = text.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return text.length - last.length >= at && text.endsWith(last);
  }

  /** It matches if the holes of the text turn out to be what it wants there. */
  mayMatch(text: string): boolean {
    if (!text.includes(HOLE)) return this.covers(text);
    const pattern = this.#pieces.join("*");
    const end = pattern.length;
    // reached[i]: the text so far can be what the first i characters of the pattern match.
    let reached = new Uint8Array(end + 1);
    let next = new Uint8Array(end + 1);
    reached[0] = 1;
    for (const character of text) {
      const isHole = character === HOLE;
      next.fill(0);
      for (let at = 0; at <= end; at++) {
        if (reached[at] === 0) continue;
        const wanted = pattern[at];
        if (at < end && (wanted === "*" || isHole)) reached[at + 1] = 1;
        if (wanted === "*" || isHole) next[at] = 1;
        else if (wanted === character) next[at + 1] = 1;
      }
      [reached, next] = [next, reached];
    }
    for (let at = 0; at < end; at++) if (reached[at] === 1 && pattern[at] === "*") reached[at + 1] = 1;
    return reached[end] === 1;
  }
}

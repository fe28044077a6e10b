/** C0 and C1 controls but for tab and newline, DEL, and what turns the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const HIDDEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text of an agent as a terminal may have it. Escape sequences could rewrite what stands above, a question for
 * permission among it, and a turned direction shows other words than those that run: each is shown, not obeyed.
 */
export const printable = (text: string): string =>
  text.replaceAll("\r\n", "\n").replaceAll(HIDDEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x20 ? String.fromCodePoint(0x2400 + code) : `\\u${code.toString(16).padStart(4, "0")}`;
  });

/** Texts beyond this are there for their size, not for their rhythm: they are cut into pieces of this many characters. */
const LONG_PIECE = 16_384;

const THREE_WORDS = /(?:\S+\s*|\s+){1,3}/gu;
const LONG_PIECES = new RegExp(`.{1,${LONG_PIECE}}`, "gsu");

/** Cuts a text as a model streams it: a few words at a time, never inside a character. Together they are the text. */
export function pieces(text: string): string[] {
  return text.match(text.length > LONG_PIECE ? LONG_PIECES : THREE_WORDS) ?? [];
}

/** Words as one command for a POSIX shell, which takes each of them as it is. */
export const shellCommand = (words: readonly string[]): string => words.map(quoted).join(" ");

/** Nothing is special between single quotes but the quote itself. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

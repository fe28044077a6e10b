import type { Assignment, DoubleQuotedChild, Word, WordPart } from "unbash";
import { HOLE } from "./glob.ts";

/** What a shell makes of a word: quotes gone, a HOLE for what it only knows when it runs. */
export function wordText({ parts, text, value }: Word): string {
  if (parts === undefined) return text.startsWith("~") ? home(value) : value;
  return parts.map((part, at) => partText(part, at === 0)).join("");
}

/** `NAME=value`, as it is written before a command or among its arguments. */
export function assignmentText({ name, index, append, value }: Assignment): string {
  const at = index === undefined ? "" : `[${wordText(index)}]`;
  return `${name}${at}${append ? "+=" : "="}${value.type === "Word" ? wordText(value) : HOLE}`;
}

function partText(part: WordPart | DoubleQuotedChild, isFirst: boolean): string {
  switch (part.type) {
    case "Literal":
      return isFirst && part.text.startsWith("~") ? home(part.value) : part.value;
    case "SingleQuoted":
    case "AnsiCQuoted":
      return part.value;
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.map((inner) => partText(inner, false)).join("");
    default:
      return HOLE;
  }
}

/** `~` and `~name` stand for a folder that only the shell knows. */
const home = (text: string): string => text.replace(/^~[^/]*/, HOLE);

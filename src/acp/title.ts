import type { Fields } from "./checks.ts";
import { plainText } from "./content.ts";

const CHARACTERS = 80;

/** What a session is called after its first prompt: the first line that says something. */
export function titleOf(blocks: readonly Fields[]): string {
  const lines = plainText(blocks).split("\n");
  const line = lines.find((part) => part.trim() !== "") ?? "";
  // A line may be megabytes long; a character is two code units at most.
  const beginning = line.trim().slice(0, 2 * CHARACTERS);
  return [...beginning].slice(0, CHARACTERS).join("");
}

import { readFileSync } from "node:fs";
import { codeOf, messageOf } from "../ground/thrown.ts";

/** The token that a file holds. Throws an Error whose message is one sentence, without what the file holds. */
export function tokenInFile(file: string): string {
  const token = read(file).trim();
  // Neither is shown: the one may be somebody's other secret.
  if (token === "") throw new Error(`The token file ${file} is empty; hall token add prints a token.`);
  if (/\s/.test(token)) throw new Error(`The token file ${file} holds more than a token.`);
  return token;
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const trouble = codeOf(error) === "ENOENT" ? "is not there" : `cannot be read (${messageOf(error)})`;
    throw new Error(`The token file ${file} ${trouble}.`);
  }
}

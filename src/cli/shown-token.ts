import { readFileSync } from "node:fs";
import { codeOf, messageOf } from "../ground/thrown.ts";
import { UsageError } from "./usage.ts";

/** The token to show at a hall's door: of `--token-file`, else $HALL_TOKEN; undefined: none. Throws a UsageError. */
export function shownToken(file: string | undefined, env = process.env): string | undefined {
  if (file === undefined) return env.HALL_TOKEN?.trim() || undefined;
  const token = read(file).trim();
  // Neither is shown: the one may be somebody's other secret.
  if (token === "") throw new UsageError(`The token file ${file} is empty; hall token add prints a token.`);
  if (/\s/.test(token)) throw new UsageError(`The token file ${file} holds more than a token.`);
  return token;
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const trouble = codeOf(error) === "ENOENT" ? "is not there" : `cannot be read (${messageOf(error)})`;
    throw new UsageError(`The token file ${file} ${trouble}.`);
  }
}

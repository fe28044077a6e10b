import { tokenInFile } from "../bridge/token-in-file.ts";
import { messageOf } from "../ground/thrown.ts";
import { UsageError } from "./usage.ts";

/** The token to show at a hall's door: of `--token-file`, else $HALL_TOKEN; undefined: none. Throws a UsageError. */
export function shownToken(file: string | undefined, env = process.env): string | undefined {
  if (file === undefined) return env.HALL_TOKEN?.trim() || undefined;
  try {
    return tokenInFile(file);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

import { isSecret } from "./exposure.ts";
import type { Fault } from "./fault.ts";
import { type Path, showPath } from "./path.ts";
import { spotOf, type Written } from "./written.ts";

/** What a check found, by path: `faultOf` looks up where that is in the file and how it is written there. */
export interface Finding {
  path: Path;
  /** Whether `what` is said of what is written ("is not a duration"), or is a sentence about the key. */
  about: "key" | "value";
  what: string;
  /** What to do. */
  todo: string;
}

/** More of a text says no more about what is wrong with it. */
const SHOWN_TEXT = 60;

export function faultOf({ path, about, what, todo }: Finding, file: string, root: Written): Fault {
  const { keyAt, value } = spotOf(root, path);
  const sentence = about === "key" ? what : (absence(value) ?? `${subjectOf(value, path)} ${what}`);
  // What is not there cannot be pointed at.
  const at = about === "key" || value === undefined || absence(value) ? keyAt : value.at;
  return { file, ...at, path: showPath(path), message: `${sentence}; ${todo}` };
}

function absence(value: Written | undefined): string | undefined {
  if (value === undefined) return "it is missing";
  return value.kind === "scalar" && value.value === null ? "it has no value" : undefined;
}

/** What is written there, as it is written; never what stands where secrets stand. */
function subjectOf(written: Written | undefined, path: Path): string {
  if (written?.kind !== "scalar") return `a ${written?.kind ?? "value"}`;
  if (isSecret(path)) return "what is written";
  if (typeof written.value !== "string") return written.text;
  const { text } = written;
  return JSON.stringify(text.length > SHOWN_TEXT ? `${text.slice(0, SHOWN_TEXT)}…` : text);
}

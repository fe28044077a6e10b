import type { Roster } from "../roster.ts";
import { readDocument } from "./document.ts";
import type { Fault } from "./fault.ts";
import { type Path, showPath } from "./path.ts";
import { spotOf } from "./written.ts";

/** Something that is wrong with what a roster names, told where the roster names it. */
export function faultAt({ file, text }: Pick<Roster, "file" | "text">, path: Path, message: string): Fault {
  const { keyAt, value } = spotOf(readDocument(text).root, path);
  return { file, ...(value?.at ?? keyAt), path: showPath(path), message };
}

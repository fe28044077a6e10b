import { isToolKind } from "../acp/tool-kinds.ts";
import { Glob } from "./glob.ts";

/** Which calls a rule is about: `KIND`, `KIND(GLOB)`, `TOOL`, `TOOL(GLOB)` or `*`. */
export interface Pattern {
  /** As it is written. */
  readonly source: string;
  /** A tool kind of ACP, or the name of a tool, in which `*` matches any characters. */
  readonly head: string;
  /** What the call must be about; undefined: about anything. */
  readonly glob: Glob | undefined;
}

const FORM = /^([^\s()]+)(?:\(([\s\S]*)\))?$/;

/** Undefined: it is no pattern. */
export function parsePattern(source: string): Pattern | undefined {
  const [, head, glob] = FORM.exec(source) ?? [];
  if (head === undefined || glob === "") return undefined;
  return { source, head, glob: glob === undefined ? undefined : new Glob(glob) };
}

/** Whether the pattern's head is about calls of this kind, by this tool. The word for a kind never means a tool. */
export function fitsHead(pattern: Pattern, kind: string | undefined, tool: string | undefined): boolean {
  if (pattern.head === "*") return true;
  if (isToolKind(pattern.head)) return pattern.head === kind;
  return tool !== undefined && new Glob(pattern.head).covers(tool);
}

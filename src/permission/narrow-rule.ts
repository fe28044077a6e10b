import path from "node:path";
import { isToolKind } from "../acp/tool-kinds.ts";
import { partsOfCall } from "./call-parts.ts";
import type { Shell } from "./command-reader.ts";
import { HOLE } from "./glob.ts";
import { runsOthers } from "./inner-command.ts";
import { parseRule, type Rule } from "./rule.ts";
import type { ToolCall } from "./tool-call.ts";

/**
 * The rule by which a person may allow more calls like this one: the same program with the same first word, files
 * in the same folder, addresses on the same host. Undefined when the call is about more than one thing, or about
 * something that no rule names narrowly.
 */
export function narrowRule(call: ToolCall, cwd: string, shell: Shell): Rule | undefined {
  const head = isToolKind(call.kind ?? "") ? call.kind : call.tool;
  const counted = partsOfCall(call, cwd, shell).filter(({ counts }) => counts);
  const [part] = counted;
  if (head === undefined || counted.length !== 1 || !part?.own || part.file) return undefined;
  const { text } = part.own;
  if (/[*]/.test(text) || text.includes(HOLE)) return undefined;
  const globs =
    call.command !== undefined ? commandGlobs(text) : part.own.isPath ? folderGlobs(text) : hostGlobs(text);
  return globs.length === 0 ? undefined : parseRule("allow", ...globs.map((glob) => `${head}(${glob})`));
}

/** What a program does that runs others, its first word does not say: then it is this command alone. */
function commandGlobs(text: string): string[] {
  const [program = "", first = ""] = text.split(" ");
  const isNarrow = first !== "" && !first.startsWith("-") && !program.includes("=") && !runsOthers(program);
  return isNarrow ? [`${program} ${first}`, `${program} ${first} *`] : [text];
}

function folderGlobs(file: string): string[] {
  const folder = path.dirname(file);
  return folder === "/" ? [] : [`${folder}/*`];
}

const hostGlobs = (url: string): string[] => [`${new URL(url).origin}/*`];

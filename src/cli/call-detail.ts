import { type Fields, isFields } from "../acp/checks.ts";
import { lineDiff } from "./line-diff.ts";
import type { Paint } from "./paint.ts";
import { printable } from "./printable.ts";
import type { ToolCall } from "./tool-calls.ts";

/** More than this nobody reads before answering; what is left out is counted. */
const MOST_LINES = 200;
/** Of a change that is done already. */
const MOST_LINES_AFTERWARDS = 40;

/** What a tool call is about to do, in lines: its command, its change of files, or else what it was given. */
export function callDetail(call: ToolCall, paint: Paint): string[] {
  const command = commandOf(call.rawInput);
  const diffs = call.content.filter(({ type }) => type === "diff");
  const said = call.content.flatMap(textOf);
  const shown = [
    ...(command === undefined ? [] : prefixed("$ ", command)),
    ...diffs.flatMap((diff) => diffLines(diff, paint)),
    ...(command === undefined && diffs.length === 0 ? inputLines(call) : []),
    ...said.flatMap((text) => printable(text).split("\n")),
  ];
  return bounded(shown);
}

/** What a call has changed, line by line, as far as anybody reads along. */
export function callDiffs(call: ToolCall, paint: Paint): string[] {
  const diffs = call.content.filter(({ type }) => type === "diff");
  return bounded(
    diffs.flatMap((diff) => diffLines(diff, paint)),
    MOST_LINES_AFTERWARDS,
  );
}

/** `src/a.ts +3 -1`, for each file that a call changes. */
export function changes(call: ToolCall): string[] {
  return call.content.flatMap((content) => {
    if (content.type !== "diff") return [];
    const lines = diffOf(content);
    const count = (sign: string): number => lines.filter((line) => line.sign === sign).length;
    return [printable(`${String(content.path)} +${count("+")} -${count("-")}`)];
  });
}

/** What a call said in words. */
export const textsOf = (call: ToolCall): string[] => call.content.flatMap(textOf);

function textOf({ type, content }: Fields): string[] {
  return type === "content" && isFields(content) && typeof content.text === "string" ? [content.text] : [];
}

function commandOf(input: unknown): string | undefined {
  if (!isFields(input)) return undefined;
  const { command, cmd } = input;
  const said = command ?? cmd;
  if (Array.isArray(said)) return said.map((word) => JSON.stringify(word)).join(" ");
  return typeof said === "string" ? said : undefined;
}

function diffLines(diff: Fields, { green, red, dim }: Paint): string[] {
  const brushes = { "+": green, "-": red, " ": dim };
  return [
    printable(String(diff.path)),
    ...diffOf(diff).map(({ sign, text }) => brushes[sign](`${sign} ${printable(text)}`)),
  ];
}

const diffOf = ({ oldText, newText }: Fields) =>
  lineDiff(typeof oldText === "string" ? oldText : "", typeof newText === "string" ? newText : "");

/** Where it goes and what it was given, but for what that says again. */
function inputLines({ rawInput, locations }: ToolCall): string[] {
  const given = isFields(rawInput)
    ? Object.entries(rawInput)
    : rawInput === undefined
      ? []
      : [["input", rawInput]];
  const said = given.flatMap(([name, value]) => {
    if (typeof value !== "string") return [`${name}: ${JSON.stringify(value)}`];
    return locations.includes(value) ? [] : [`${name}: ${value}`];
  });
  return [...locations, ...said].flatMap((line) => printable(line).split("\n"));
}

const prefixed = (prefix: string, text: string): string[] =>
  printable(text)
    .split("\n")
    .map((line, at) => `${at === 0 ? prefix : " ".repeat(prefix.length)}${line}`);

function bounded(lines: readonly string[], most = MOST_LINES): string[] {
  if (lines.length <= most) return [...lines];
  return [...lines.slice(0, most), `… and ${lines.length - most} lines more that are not shown`];
}

import path from "node:path";
import type { Fields } from "../../../acp/checks.ts";
import { listIn, numberOf, textOf, wordsOf } from "../native-line.ts";
import type { PlanEntry } from "../updates.ts";
import { textContent } from "../updates.ts";

/** How a tool call of Claude Code is shown: title, kind, locations, and what its input already tells. */
export function describeTool(name: string, input: Fields, cwd: string | undefined): Fields {
  const file = wordsOf(input, "file_path") ?? wordsOf(input, "notebook_path");
  const shown = file === undefined ? "" : displayed(file, cwd);
  switch (name) {
    case "Read":
      return {
        kind: "read",
        title: `Read ${shown}${range(input)}`,
        locations: place(file, numberOf(input, "offset") || 1),
      };
    case "Write":
      return {
        kind: "edit",
        title: `Write ${shown}`,
        locations: place(file),
        content: diffs(file, [{ oldText: null, newText: textOf(input, "content") }]),
      };
    case "Edit":
      return {
        kind: "edit",
        title: `Edit ${shown}`,
        locations: place(file),
        content: diffs(file, [edit(input)]),
      };
    case "MultiEdit":
      return {
        kind: "edit",
        title: `Edit ${shown}`,
        locations: place(file),
        content: diffs(file, listIn(input, "edits").map(edit)),
      };
    case "NotebookEdit":
      return { kind: "edit", title: `Edit ${shown}`, locations: place(file) };
    case "Bash":
      return { kind: "execute", title: cut(textOf(input, "command")) || "Terminal" };
    case "Grep":
    case "Glob":
      return { kind: "search", title: `Find ${cut(textOf(input, "pattern"))}` };
    case "WebSearch":
      return { kind: "search", title: `Search ${cut(textOf(input, "query"))}` };
    case "WebFetch":
      return { kind: "fetch", title: `Fetch ${cut(textOf(input, "url"))}` };
    case "Agent":
    case "Task":
      return { kind: "think", title: cut(textOf(input, "description")) || "Task", content: prompted(input) };
    case "TodoWrite":
      return { kind: "think", title: "Update the plan" };
    case "ExitPlanMode":
      return { kind: "switch_mode", title: "Ready to code?", content: planned(input) };
    default:
      return { kind: "other", title: name };
  }
}

/** What a `TodoWrite` says is to be done. */
export const todos = (input: Fields): PlanEntry[] =>
  listIn(input, "todos").map((todo) => ({
    content: textOf(todo, "content"),
    status: todo.status === "completed" || todo.status === "in_progress" ? todo.status : "pending",
    priority: "medium",
  }));

const TITLE_CHARACTERS = 80;
const cut = (text: string): string =>
  text.length > TITLE_CHARACTERS ? `${text.slice(0, TITLE_CHARACTERS)}…` : text;

/** Relative to the session's folder when it is in it. */
function displayed(file: string, cwd: string | undefined): string {
  const relative = cwd === undefined ? file : path.relative(cwd, file);
  return relative.startsWith("..") || relative === "" ? file : relative;
}

function range(input: Fields): string {
  const offset = numberOf(input, "offset");
  const limit = numberOf(input, "limit");
  if (limit > 0) return ` (${offset || 1}-${(offset || 1) + limit - 1})`;
  return offset > 1 ? ` (from line ${offset})` : "";
}

const place = (file: string | undefined, line?: number): Fields[] | undefined =>
  file === undefined ? undefined : [{ path: file, ...(line === undefined ? {} : { line }) }];

const edit = (input: Fields): Fields => ({
  oldText: textOf(input, "old_string"),
  newText: textOf(input, "new_string"),
});

const diffs = (file: string | undefined, changes: readonly Fields[]): Fields[] | undefined =>
  file === undefined ? undefined : changes.map((change) => ({ type: "diff", path: file, ...change }));

const prompted = (input: Fields): Fields[] | undefined => {
  const text = wordsOf(input, "prompt");
  return text === undefined ? undefined : [textContent(text)];
};

const planned = (input: Fields): Fields[] | undefined => {
  const text = wordsOf(input, "plan");
  return text === undefined ? undefined : [textContent(text)];
};

import path from "node:path";
import type { Fields } from "../../../acp/checks.ts";
import { listIn, textOf, wordsOf } from "../native-line.ts";

/** How a tool call of pi's is shown: its built-in tools by what they do, others by their names. */
export function describeTool(name: string, args: Fields, cwd: string): Fields {
  const written = wordsOf(args, "path") ?? wordsOf(args, "file_path");
  const file = written === undefined ? undefined : path.resolve(cwd, written);
  const locations = file === undefined ? undefined : [{ path: file }];
  switch (name) {
    case "read":
      return { kind: "read", title: `Read ${written ?? ""}`, locations };
    case "write":
      return {
        kind: "edit",
        title: `Write ${written ?? ""}`,
        locations,
        content: file && [{ type: "diff", path: file, oldText: null, newText: textOf(args, "content") }],
      };
    case "edit":
      return {
        kind: "edit",
        title: `Edit ${written ?? ""}`,
        locations,
        content: file && edits(args).map((edit) => ({ type: "diff", path: file, ...edit })),
      };
    case "bash":
      return { kind: "execute", title: wordsOf(args, "command") ?? "Command" };
    case "grep":
    case "find":
    case "ls":
      return {
        kind: "search",
        title: `${name} ${wordsOf(args, "pattern") ?? written ?? ""}`.trim(),
        locations,
      };
    default:
      return { kind: "other", title: name };
  }
}

/** One replacement, or several. */
function edits(args: Fields): Fields[] {
  const list = listIn(args, "edits");
  return (list.length > 0 ? list : [args])
    .filter(({ oldText, newText }) => typeof oldText === "string" && typeof newText === "string")
    .map(({ oldText, newText }) => ({ oldText, newText }));
}

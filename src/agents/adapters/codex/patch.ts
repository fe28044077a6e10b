import type { Fields } from "../../../acp/checks.ts";
import { fieldsIn, listIn, textOf } from "../native-line.ts";

/** What a `fileChange` item does to files, as ACP's diffs and locations. */
export function describeChanges(item: Fields): Fields {
  const changes = listIn(item, "changes");
  const paths = changes.map((change) => textOf(change, "path"));
  const kinds = new Set(changes.map((change) => textOf(fieldsIn(change, "kind"), "type")));
  const verb =
    kinds.size === 1 && kinds.has("delete")
      ? "Delete"
      : kinds.has("add") && kinds.size === 1
        ? "Write"
        : "Edit";
  return {
    kind: verb === "Delete" ? "delete" : "edit",
    title: `${verb} ${paths.join(", ")}`,
    locations: paths.map((path) => ({ path })),
    content: changes.map(diffOf),
    rawInput: { changes },
  };
}

function diffOf(change: Fields): Fields {
  const kind = textOf(fieldsIn(change, "kind"), "type");
  const diff = textOf(change, "diff");
  const path = textOf(change, "path");
  // Of a file that comes or goes, the whole text stands there; of one that changes, a unified diff.
  if (kind === "add") return { type: "diff", path, oldText: null, newText: diff };
  if (kind === "delete") return { type: "diff", path, oldText: diff, newText: "" };
  return { type: "diff", path, ...sidesOf(diff) };
}

/** Before and after, as far as the hunks of a unified diff show them. */
function sidesOf(diff: string): { oldText: string; newText: string } {
  const before: string[] = [];
  const after: string[] = [];
  let inHunk = false;
  for (const line of diff.split("\n")) {
    if (line.startsWith("@@")) inHunk = true;
    else if (!inHunk || line.startsWith("\\")) continue;
    else if (line.startsWith("-")) before.push(line.slice(1));
    else if (line.startsWith("+")) after.push(line.slice(1));
    else if (line !== "") {
      before.push(line.slice(1));
      after.push(line.slice(1));
    }
  }
  return { oldText: joined(before), newText: joined(after) };
}

const joined = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

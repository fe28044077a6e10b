import type { z } from "zod";
import type { Finding } from "./finding.ts";
import { Vocabulary } from "./vocabulary.ts";

type Issue = z.core.$ZodIssue;

/** What the schema found, in the words of whoever wrote the file. */
export function findingsOf(issues: readonly Issue[]): Finding[] {
  const vocabulary = new Vocabulary();
  return issues.flatMap((issue): Finding[] => {
    const path = issue.path.map((step) => (typeof step === "number" ? step : String(step)));
    if (issue.code !== "unrecognized_keys") return [{ path, about: "value", ...complaint(issue) }];
    return issue.keys.map((key) => ({
      path: [...path, key],
      about: "key",
      what: "this key is not known",
      todo: vocabulary.advice(key, path),
    }));
  });
}

/** Leaves say themselves what is wrong, and lists what to write. */
function complaint(issue: Issue): { what: string; todo: string; about?: "key" } {
  switch (issue.code) {
    case "custom": {
      const { todo, about } = issue.params ?? {};
      return { what: issue.message, todo: String(todo), ...(about === "key" ? { about } : {}) };
    }
    case "invalid_type":
      return issue.expected === "array" || issue.expected === "tuple"
        ? { what: "is not a list", todo: issue.message }
        : { what: "is not a map", todo: "write its keys, each as key: value" };
    case "invalid_union":
      return { what: "is not a kind of MCP server", todo: "write http, sse or stdio" };
    default:
      return { what: "cannot stand here", todo: "write what hall.example.yml shows for this key" };
  }
}

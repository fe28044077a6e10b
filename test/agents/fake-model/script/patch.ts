import type { Given } from "./arguments.ts";

/** The patch text that Codex's `apply_patch` takes: a new file when there is content, else one changed line. */
export function patch({ path = "", content, before = "", after = "" }: Given): string {
  const change =
    content === undefined
      ? [`*** Update File: ${path}`, "@@", `-${before}`, `+${after}`]
      : [
          `*** Add File: ${path}`,
          ...content
            .trimEnd()
            .split("\n")
            .map((line) => `+${line}`),
        ];
  return ["*** Begin Patch", ...change, "*** End Patch", ""].join("\n");
}

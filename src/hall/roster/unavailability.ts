import type { Unset } from "./filling.ts";
import { showPath } from "./path.ts";
import { spotOf, type Written } from "./written.ts";

/** By slot: one sentence that says which variables it lacks, where they are asked for, and what to do. */
export function unavailability(unset: readonly Unset[], root: Written): Map<string, string> {
  const asked = new Map<string, string[]>();
  for (const { path, names } of unset) {
    const slot = String(path[1]);
    const line = spotOf(root, path).value?.at.line;
    const asking = `${names.join(" and ")} (${showPath(path.slice(2))}, line ${line})`;
    asked.set(slot, [...(asked.get(slot) ?? []), asking]);
  }
  return new Map([...asked].map(([slot, all]) => [slot, sentence(all)]));
}

const sentence = (asked: readonly string[]): string =>
  `Not set in the hall's environment: ${asked.join(", ")}; set it, or write a default.`;

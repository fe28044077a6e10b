import { type CheckOptions, findingsIn } from "./checks.ts";
import type { Filled, Unset } from "./filling.ts";
import type { Finding } from "./finding.ts";
import { findingsOf } from "./issues.ts";
import { type Path, showPath } from "./path.ts";
import { rosterSchema } from "./schema.ts";

/** All that is wrong with a roster, and what cannot be told because a variable of a slot is not set. */
export interface Inspection {
  findings: Finding[];
  /** Keys of slots whose value could not be checked. */
  unknown: Path[];
}

export function inspect(filled: Filled, options: CheckOptions): Inspection {
  const issues = rosterSchema.safeParse(filled.value).error?.issues ?? [];
  const doubtful = findingsOf(issues.filter((issue) => !isCertain(issue)));
  const unset = new Set(filled.unset.map(({ path }) => showPath(path)));
  const isOpen = ({ about, path }: Finding): boolean => about === "value" && unset.has(showPath(path));
  return {
    findings: onePerValue([
      ...filled.findings,
      ...filled.unset.filter(({ path }) => !isInSlot(path)).map(missingVariable),
      ...findingsOf(issues.filter(isCertain)),
      ...[...doubtful, ...findingsIn(filled.value, options)].filter((finding) => !isOpen(finding)),
    ]),
    unknown: doubtful
      .filter((finding) => isOpen(finding) && isInSlot(finding.path))
      .map(({ path }) => path.slice(0, 3)),
  };
}

/** Whether a map, a list or a key is the right one does not hang on variables. */
const isCertain = ({ code }: { code: string }): boolean =>
  code === "invalid_type" || code === "unrecognized_keys";

/** Whether what is missing there leaves out one slot, and not the whole roster. */
const isInSlot = (path: Path): boolean => path[0] === "slots" && path.length > 2;

/** One cause, one fault: a value that is wrong in itself is not told to be wrong in other ways too. */
function onePerValue(findings: readonly Finding[]): Finding[] {
  const told = new Set<string>();
  return findings.filter(({ about, path }) => {
    const place = showPath(path);
    const first = !told.has(place);
    if (about === "value") told.add(place);
    return first;
  });
}

const missingVariable = ({ path, names }: Unset): Finding => ({
  path,
  about: "value",
  what: `needs ${names.join(", ")} in the environment, where it is not set`,
  todo: `set it, or write a default: \${${names[0]}:-default}`,
});

import { isPublic, isSecret } from "./exposure.ts";
import type { Finding } from "./finding.ts";
import type { Path } from "./path.ts";
import { expand } from "./variables.ts";
import type { Written, WrittenScalar } from "./written.ts";

/** A roster as plain values, its variables filled in. */
export interface Filled {
  value: unknown;
  /** Texts with variables that are not set and have no default. They are left as they are written. */
  unset: Unset[];
  /** Values from the environment, and all that stands where secrets stand. */
  secrets: string[];
  findings: Finding[];
  warnings: Finding[];
}

export interface Unset {
  path: Path;
  names: string[];
}

/** Keys for which `leftOut` is true are as if they were not written. */
export function fill(
  root: Written,
  env: NodeJS.ProcessEnv,
  leftOut: (path: Path) => boolean = () => false,
): Filled {
  const filled: Filled = { value: undefined, unset: [], secrets: [], findings: [], warnings: [] };
  filled.value = fromWritten(root, []);
  return filled;

  function fromWritten(written: Written, path: Path): unknown {
    if (written.kind === "scalar") return fromScalar(written, path);
    if (written.kind === "list")
      return written.items.map((item, index) => fromWritten(item, [...path, index]));
    const value: Record<string, unknown> = {};
    for (const [key, entry] of written.entries) {
      const inner = [...path, key];
      if (!leftOut(inner)) value[key] = fromWritten(entry.value, inner);
    }
    return value;
  }

  function fromScalar({ value: written }: WrittenScalar, path: Path): unknown {
    if (typeof written !== "string") return written;
    const { value, found, unset, variable, fault } = expand(written, env);
    filled.secrets.push(...found);
    if (fault !== undefined) filled.findings.push({ path, about: "value", ...fault });
    if (unset.length > 0) filled.unset.push({ path, names: unset });
    else if (isSecret(path)) filled.secrets.push(value);
    if (variable && isPublic(path)) {
      const what = "puts a variable on a command line, which every user of the machine can read";
      filled.warnings.push({ path, about: "value", what, todo: "if it is a secret, hand it over in env" });
    }
    return value;
  }
}

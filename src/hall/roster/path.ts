/** The way from the top of a roster to one of its values: keys of maps, positions in lists (from 0). */
export type Path = readonly (string | number)[];

const PLAIN_KEY = /^[\p{L}\p{N}_-]+$/u;

/** As a person writes it: `slots.claude.mcp_servers[0].url`; a key with other characters is quoted. */
export function showPath(path: Path): string {
  let shown = "";
  for (const step of path) {
    if (typeof step === "number") shown += `[${step}]`;
    else if (!PLAIN_KEY.test(step)) shown += `[${JSON.stringify(step)}]`;
    else shown += shown === "" ? step : `.${step}`;
  }
  return shown;
}

export const samePath = (one: Path, other: Path): boolean =>
  one.length === other.length && one.every((step, index) => step === other[index]);

/** Whether a path has the shape of `pattern`, in which `*` stands for any one step. */
export const fits = (path: Path, pattern: Path): boolean =>
  path.length === pattern.length && pattern.every((step, index) => step === "*" || step === path[index]);

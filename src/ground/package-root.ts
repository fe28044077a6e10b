import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The folder of this package: the same from its sources, from its build, and from where it is installed. */
export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "package.json"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`${import.meta.dirname} is in no package; install hall again.`);
    folder = parent;
  }
  return folder;
}

/** A built file of it. Node 20 runs no TypeScript, so whatever runs from the sources starts these too. */
export const builtFile = (...path: string[]): string => join(packageRoot(), "dist", ...path);

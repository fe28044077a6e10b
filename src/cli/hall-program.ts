import path from "node:path";

/**
 * This package's program, as another process starts it. Node 20 runs no TypeScript, so the sources, too, name the
 * built one.
 *
 * @param here the folder of the commands, in `src` or in `dist`
 */
export function hallProgram(here: string = import.meta.dirname): string {
  const built = here.endsWith(path.join(path.sep, "src", "cli"))
    ? path.join(here, "..", "..", "dist", "cli")
    : here;
  return path.join(built, "main.js");
}

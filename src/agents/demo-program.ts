import { join, sep } from "node:path";

/**
 * The demo agent's program. Node 20 runs no TypeScript, so the sources, too, start the built one.
 *
 * @param here the folder of the agents room, in `src` or in `dist`
 */
export function demoProgram(here: string = import.meta.dirname): string {
  const built = here.endsWith(join(sep, "src", "agents")) ? join(here, "..", "..", "dist", "agents") : here;
  return join(built, "demo", "main.js");
}

import { basename } from "node:path";
import type { Clock } from "../../ground/clock.ts";

/** ms after which a module that is still being imported is told of: less than a hall waits. */
export const IMPORT_WITHIN_MS = 10_000;

/** Whoever waits for the agent is told in the end that it did not answer; this says why. */
export function tellIfSlow(
  agent: Promise<unknown>,
  file: string,
  clock: Clock,
  notice: (what: string) => void,
): void {
  const told = clock.after(IMPORT_WITHIN_MS, () =>
    notice(
      `${basename(file)} has been imported for ${IMPORT_WITHIN_MS / 1_000} s and is not done; what it awaits at its top level has not come.`,
    ),
  );
  agent.then(told, told);
}

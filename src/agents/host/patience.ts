import type { Clock } from "../../ground/clock.ts";

/** How long a cancelled turn may take to end. */
export interface Patience {
  clock: Clock;
  /** ms; undefined: as long as it takes, since whoever started the process ends it. */
  cancelGrace: number | undefined;
}

/** Waits for what a turn comes to; `undefined` when it was cancelled and is not over in time. What it does then is nobody's. */
export function withPatience<T>(
  outcome: Promise<T>,
  signal: AbortSignal,
  { clock, cancelGrace }: Patience,
): Promise<T | undefined> {
  if (cancelGrace === undefined) return outcome;
  return new Promise((resolve, reject) => {
    let stop = (): void => {};
    const wait = (): void => {
      stop = clock.after(cancelGrace, () => resolve(undefined));
    };
    if (signal.aborted) wait();
    else signal.addEventListener("abort", wait, { once: true });
    outcome.then(resolve, reject).finally(() => {
      signal.removeEventListener("abort", wait);
      stop();
    });
  });
}

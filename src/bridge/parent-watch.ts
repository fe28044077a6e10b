import type { Cancel, Clock } from "../ground/clock.ts";

/** How soon it is noticed that the parent is gone: editors end without a word, and leave pipes open in others' hands. */
const EVERY_MS = 2000;

/**
 * Calls `gone` once, when the process that started this one is there no more and another has become its parent;
 * until the answer is called. `parent`: the pid of the parent as it is now.
 */
export function watchParent(clock: Clock, gone: () => void, parent = () => process.ppid): Cancel {
  const first = parent();
  let cancel: Cancel = () => {};
  const look = (): void => {
    if (parent() === first) cancel = clock.after(EVERY_MS, look);
    else gone();
  };
  cancel = clock.after(EVERY_MS, look);
  return () => cancel();
}

import type { HandClock } from "../../src/ground/clock.ts";

/** Moves the clock's hands until a promise is settled. */
export async function advanceUntil(done: Promise<unknown>, clock: HandClock): Promise<void> {
  let isDone = false;
  void done.then(() => {
    isDone = true;
  });
  while (!isDone) {
    clock.advance(10);
    await new Promise(setImmediate);
  }
}

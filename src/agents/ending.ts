import { MessageChannel } from "node:worker_threads";
import type { Clock } from "../ground/clock.ts";

/** One step of an end: what is done, and how long to wait for its effect. */
export interface Step {
  act(): void;
  /** Milliseconds. */
  wait: number;
  /** The last resort: done again for as long as something is left, and never skipped. */
  final?: true;
}

export interface EndingParts {
  clock: Clock;
  steps: readonly Step[];
  /** Whether something is still there. */
  left(): boolean;
  /** True from when nobody wants to wait any longer: only final steps are taken. */
  hurried?(): boolean;
  /** Keeps a bell that is rung when it is worth a look before the clock says so. */
  onNews?(ring: () => void): void;
}

/** Milliseconds between looks, doubling from the first to the last: a look reads the whole process table. */
const FIRST_LOOK = 20;
const LAST_LOOK = 250;

/** Takes step after step until nothing is left. False: the last step's wait is over, and something still is. */
export async function untilGone(parts: EndingParts): Promise<boolean> {
  // The clock's alarms let Node end; what is being ended must not stay behind because nothing else is open.
  const hold = new MessageChannel();
  hold.port1.ref();
  try {
    for (const step of parts.steps) {
      if (parts.hurried?.() && !step.final) continue;
      if (await goneAfter(step, parts)) return true;
    }
    return !parts.left();
  } finally {
    hold.port1.close();
  }
}

async function goneAfter(step: Step, { clock, left, hurried, onNews }: EndingParts): Promise<boolean> {
  const end = clock.monotonic() + step.wait;
  let look = FIRST_LOOK;
  step.act();
  for (;;) {
    if (!left()) return true;
    const rest = end - clock.monotonic();
    if (rest <= 0 || (hurried?.() && !step.final)) return false;
    await newsWithin(Math.min(look, rest), clock, onNews);
    look = Math.min(look * 2, LAST_LOOK);
    if (step.final) step.act();
  }
}

function newsWithin(ms: number, clock: Clock, onNews: EndingParts["onNews"]): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, resolve);
    onNews?.(() => {
      cancel();
      resolve();
    });
  });
}

import type { Clock } from "../../ground/clock.ts";

/** How fast a turn is played: a word a step, longer rests in steps. */
export interface Pace {
  clock: Clock;
  /** ms */
  step: number;
}

/** About as fast as people like to read along. */
const USUAL_MS = 60;
const SLOWEST_MS = 60_000;

/** Reads what `--pace` was given, in ms; throws a sentence when that is no pace. */
export function readPace(written: string | undefined): number {
  if (written === undefined) return USUAL_MS;
  const step = /^\d+$/.test(written) ? Number(written) : Number.NaN;
  if (step <= SLOWEST_MS) return step;
  throw new Error(`--pace ${written} is no pace: write milliseconds from 0 to ${SLOWEST_MS}.`);
}

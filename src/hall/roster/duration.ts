import { anyShape, leaf, Refusal, textShape } from "./leaf.ts";

/** Units in milliseconds, the largest first. */
const UNITS = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;

const DURATION = /^(\d+(?:\.\d+)?)(h|m|s|ms)?$/;
const isUnit = (unit: string): unit is keyof typeof UNITS => unit in UNITS;

/** Milliseconds that `500ms`, `5s`, `2m`, `1.5h` or a bare number of seconds means; undefined if it is none of them. */
export function parseDuration(written: string): number | undefined {
  const [, amount, unit = "s"] = DURATION.exec(written) ?? [];
  if (amount === undefined || !isUnit(unit)) return undefined;
  const ms = Math.round(Number(amount) * UNITS[unit]);
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/** The shortest way to write whole milliseconds: `30m`, `90s`, `1500ms`, `0s`. */
export function showDuration(ms: number): string {
  if (ms === 0) return "0s";
  for (const [unit, size] of Object.entries(UNITS)) if (ms % size === 0) return `${ms / size}${unit}`;
  return `${ms}ms`;
}

const FORM = "500ms, 5s, 2m, 1h or a number of seconds";

function readDuration(value: unknown): number | undefined {
  if (typeof value === "string") return parseDuration(value);
  return typeof value === "number" && value >= 0 ? parseDuration(plain(value)) : undefined;
}

/** Numbers beyond these write themselves with an exponent, and are no duration of anything. */
const plain = (seconds: number): string =>
  seconds !== 0 && (seconds < 1e-6 || seconds >= 1e21) ? "" : String(seconds);

const PATTERN = "\\d+(\\.\\d+)?(h|m|s|ms)?";
const durationShape = (pattern: string) => anyShape({ type: "number", minimum: 0 }, textShape(pattern));

/** Milliseconds, more than none. */
export const duration = () =>
  leaf((value) => {
    if (value === "never") return new Refusal("is not possible here", `write ${FORM}`);
    const ms = readDuration(value);
    if (ms === undefined) return new Refusal("is not a duration", `write ${FORM}`);
    return ms > 0 ? ms : new Refusal("is no time at all", `write ${FORM}`);
  }, durationShape(PATTERN));

/** Milliseconds, more than none; undefined for `never`. */
export const durationOrNever = () =>
  leaf(
    (value) => {
      if (value === "never") return undefined;
      const ms = readDuration(value);
      if (ms === undefined) return new Refusal("is not a duration", `write ${FORM}, or never`);
      return ms > 0 ? ms : new Refusal("is no time at all", `write ${FORM}, or never`);
    },
    durationShape(`${PATTERN}|never`),
  );

/** Milliseconds; 0 switches off what it is the pause of. */
export const durationOrNone = () =>
  leaf((value) => {
    if (value === "never") return new Refusal("is not possible here", `write ${FORM}; 0 for never`);
    return readDuration(value) ?? new Refusal("is not a duration", `write ${FORM}; 0 for never`);
  }, durationShape(PATTERN));

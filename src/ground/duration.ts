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

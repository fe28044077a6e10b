import { anyShape, leaf, Refusal, textShape } from "./leaf.ts";

/** Units in bytes, the largest first. */
const UNITS = { GiB: 2 ** 30, MiB: 2 ** 20, KiB: 2 ** 10, B: 1 } as const;

const SIZE = /^(\d+)(GiB|MiB|KiB|B)?$/;
const isUnit = (unit: string): unit is keyof typeof UNITS => unit in UNITS;

/** Bytes that `32MiB` or a bare number means; undefined if it is neither. `MB` is not taken: it means two things. */
export function parseSize(written: string): number | undefined {
  const [, amount, unit = "B"] = SIZE.exec(written) ?? [];
  if (amount === undefined || !isUnit(unit)) return undefined;
  const bytes = Number(amount) * UNITS[unit];
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** The shortest exact way to write it: `32MiB`, `1500B`, `0B`. */
export function showSize(bytes: number): string {
  if (bytes === 0) return "0B";
  for (const [unit, size] of Object.entries(UNITS)) if (bytes % size === 0) return `${bytes / size}${unit}`;
  return `${bytes}B`;
}

export interface SizeRange {
  atLeast: number;
  atMost: number;
}

/** Bytes, both ends of the range included. */
export const size = ({ atLeast, atMost }: SizeRange) =>
  leaf(
    (value) => {
      const bytes =
        typeof value === "number" || typeof value === "string" ? parseSize(String(value)) : undefined;
      if (bytes === undefined)
        return new Refusal("is not a size", "write 64KiB, 32MiB, 1GiB or a number of bytes");
      if (bytes < atLeast) return new Refusal("is too small", `write ${showSize(atLeast)} or more`);
      return bytes <= atMost ? bytes : new Refusal("is too large", `write ${showSize(atMost)} or less`);
    },
    anyShape({ type: "integer", minimum: atLeast, maximum: atMost }, textShape("\\d+(GiB|MiB|KiB|B)?")),
  );

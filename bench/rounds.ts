/** Who is measured, by name; each call is one measurement. */
export type Contestants<Name extends string> = Record<Name, () => Promise<number>>;

export type Measured<Name extends string> = Record<Name, number[]>;

/**
 * Measures all contestants, one after another, round after round, each round beginning with another one: what the
 * machine does beside it meets all of them alike. The first round only warms up.
 */
export async function inRounds<Name extends string>(
  rounds: number,
  contestants: Contestants<Name>,
): Promise<Measured<Name>> {
  const names = Object.keys(contestants) as Name[];
  const measured = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Measured<Name>;
  for (let round = 0; round <= rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length];
      if (name === undefined) continue;
      const value = await contestants[name]();
      if (round > 0) measured[name].push(value);
    }
  }
  return measured;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The median of what one measured against another in the same round. */
export const medianRatio = (these: readonly number[], those: readonly number[]): number =>
  median(these.map((value, round) => value / (those[round] ?? Number.NaN)));

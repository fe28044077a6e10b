/** Differences of spelling that are no difference of letters: `mcpServers`, `MCP-servers`. */
const letters = (word: string): string => word.toLowerCase().replaceAll(/[_\-\s]/g, "");

/** The candidate that `word` was probably meant to be; undefined when none is near enough to be worth naming. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const meant = letters(word);
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(meant.length / 3)) + 1;
  for (const candidate of candidates) {
    const goal = letters(candidate);
    if (!isBeginning(meant, goal) && Math.abs(goal.length - meant.length) >= bestDistance) continue;
    const distance = meant !== goal && isBeginning(meant, goal) ? 1 : typingErrors(meant, goal);
    if (distance < bestDistance && distance < goal.length) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** `idle` for `idle_timeout`, `warning` for `warn`. */
const isBeginning = (one: string, other: string): boolean =>
  Math.min(one.length, other.length) >= 3 && (one.startsWith(other) || other.startsWith(one));

/** Letters added, lost, changed, or swapped with their neighbour (optimal string alignment). */
function typingErrors(word: string, goal: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: goal.length + 1 }, (_, column) => column);
  for (let row = 1; row <= word.length; row++) {
    const current = [row];
    for (let column = 1; column <= goal.length; column++) {
      const same = word[row - 1] === goal[column - 1];
      const swapped =
        row > 1 && column > 1 && word[row - 1] === goal[column - 2] && word[row - 2] === goal[column - 1];
      current[column] = Math.min(
        cost(last, column) + 1,
        cost(current, column - 1) + 1,
        cost(last, column - 1) + (same ? 0 : 1),
        swapped ? cost(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return cost(last, goal.length);
}

const cost = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY;

/** `a`, `a or b`, `a, b or c`. */
export function oneOf(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} or ${last}`;
}

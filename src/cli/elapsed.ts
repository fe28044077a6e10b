/** Milliseconds, to two units: `3 d 4 h`, `5 m 12 s`. */
export function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"],
  ] as const;
  const from = parts.findIndex(([count]) => count > 0);
  if (from === -1) return "0 s";
  return parts
    .slice(from, from + 2)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}

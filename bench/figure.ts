/** One line of the table. */
export interface Figure {
  what: string;
  target: string;
  measured: string;
  /** What it was measured from. */
  from: string;
  met: boolean;
}

/** A part of the bench, by whose name it can be run alone. */
export interface Bench {
  name: string;
  run(): Promise<Figure[]>;
}

export const KILO = 1_000;
export const MIB = 1024 * 1024;

export const ratio = (value: number): string => value.toFixed(2);
export const milliseconds = (value: number): string => `${value.toFixed(2)} ms`;
export const mebibytes = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;
/** Per second, as people read it. */
export const rate = (perSecond: number): string =>
  perSecond < 10 * KILO ? `${(perSecond / KILO).toFixed(1)} k/s` : `${Math.round(perSecond / KILO)} k/s`;

/** As a table for people: columns as wide as their widest cell. */
export function tableOf(figures: readonly Figure[]): string {
  const head = ["", "target", "measured", "", "from"];
  const rows = figures.map(({ what, target, measured, met, from }) => [
    what,
    target,
    measured,
    met ? "ok" : "missed",
    from,
  ]);
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => (row[column] ?? "").length)),
  );
  const lineOf = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [head, ...rows].map(lineOf).join("\n");
}

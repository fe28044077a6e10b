import { columns } from "../columns.ts";
import type { Paint } from "../paint.ts";
import { printable } from "../printable.ts";
import type { Setting } from "./session-settings.ts";

/** What can be chosen in a session, for people: numbered through all settings. */
export function settingLines(settings: readonly Setting[], { bold, dim }: Paint): string[] {
  if (settings.length === 0) return [dim("This agent has no modes and no options.")];
  let number = 0;
  const rows = settings.map(({ choices, current }) =>
    choices.map(({ value, name, description }) => {
      number += 1;
      const now = value === current ? " (now)" : "";
      return [String(number).padStart(3), line(name) + now, line(description)];
    }),
  );
  const aligned = columns(rows.flat());
  const blocks = settings.flatMap(({ name }, at) => [
    bold(line(name)),
    ...aligned.splice(0, rows[at]?.length ?? 0),
  ]);
  return [...blocks, dim("Type a number to choose; Enter leaves it as it is.")];
}

const line = (text: string): string => printable(text).replaceAll("\n", " ");

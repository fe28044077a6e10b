/** Something wrong with a roster, where it stands, and what to do about it. */
export interface Fault {
  file: string;
  /** From 1; undefined when the fault is the file's as a whole (it is not there, it cannot be read). */
  line?: number;
  /** From 1, in UTF-16 units, as editors count. */
  column?: number;
  /** Which key, as `slots.claude.mcp_servers[0].url`; empty for the roster as a whole. */
  path: string;
  /** What is wrong; what to do. It holds the text as written, never the value of a variable. */
  message: string;
}

/** Enough to work on; a file that is no roster at all would otherwise print a screenful for each line. */
const SHOWN_FAULTS = 50;

/** `file:line:column: path: what; what to do`, which terminals and editors make a link of. */
export function showFault({ file, line, column, path, message }: Fault): string {
  const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  return path === "" ? `${place}: ${message}` : `${place}: ${path}: ${message}`;
}

/** The roster cannot be used. `faults` has all that is wrong with it, in the order of the file. */
export class RosterError extends Error {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    const lines = faults.slice(0, SHOWN_FAULTS).map(showFault);
    if (faults.length > SHOWN_FAULTS) lines.push(`and ${faults.length - SHOWN_FAULTS} more`);
    super(lines.join("\n"));
    this.name = "RosterError";
    this.faults = faults;
  }
}

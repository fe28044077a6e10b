import type { Command } from "commander";

/** Each command by its name, read when it is asked for. One may be about all of them. */
export interface CommandTable {
  readonly [name: string]: () => Promise<{ command(all: CommandTable): Command }>;
}

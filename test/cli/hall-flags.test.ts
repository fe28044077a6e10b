import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, it } from "vitest";

const CLI = join(import.meta.dirname, "..", "..", "src", "cli");

/** Those without commands of their own below them. */
const leaves = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);

async function commands(): Promise<Command[]> {
  const files = readdirSync(CLI).filter((file) => file.endsWith(".ts") && file !== "main.ts");
  const rooms: { command?: () => Command }[] = await Promise.all(
    files.map((file) => import(join(CLI, file))),
  );
  return rooms.flatMap(({ command }) => (command ? leaves(command()) : []));
}

const takes = (command: Command, flag: string): boolean => command.options.some(({ long }) => long === flag);

/** Prints an address, and connects to none. */
const TALKS_TO_NONE = ["editor"];

it("each command that talks to a hall takes an address, a token file and a roster", async () => {
  const talking = (await commands()).filter((command) => takes(command, "--connect"));
  const lacking = talking
    .filter((command) => !TALKS_TO_NONE.includes(command.name()))
    .filter((command) => !takes(command, "--token-file") || !takes(command, "--config"));
  expect(lacking.map((command) => command.name())).toEqual([]);
  expect(talking.length).toBeGreaterThan(20);
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { cliPage, examplesOf } from "./cli-page.ts";
import { ROOT } from "./page.ts";

/** The commands that there are, in the order of their table. */
async function allCommands(): Promise<Command[]> {
  const main = readFileSync(join(ROOT, "src", "cli", "main.ts"), "utf8");
  const files = [...main.matchAll(/import\("\.\/(\w+)\.ts"\)/g)].map(([, file = ""]) => file);
  return Promise.all(
    files.map(async (file) => {
      const { command } = await import(join(ROOT, "src", "cli", `${file}.ts`));
      return command();
    }),
  );
}

/** Those that do something themselves: not only their subcommands do. */
const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);

const nameOf = (command: Command): string => {
  const name = command.name();
  return command.parent ? `${nameOf(command.parent)} ${name}` : name;
};

describe("the commands", async () => {
  const commands = await allCommands();

  it("are on docs/cli.md as they are: npm run docs writes it", async () => {
    expect(commands.every((command) => command instanceof Command)).toBe(true);
    await expect(cliPage(commands)).toMatchFileSnapshot(join(ROOT, "docs", "cli.md"));
  });

  it("each have an example of the command itself, and a sentence on what it does", () => {
    for (const command of commands.flatMap(leavesOf)) {
      const name = nameOf(command);
      const examples = examplesOf(command);
      expect({ name, examples }).toEqual({
        name,
        examples: expect.arrayContaining([expect.stringContaining(`hall ${name}`)]),
      });
      expect({ name, description: command.description() }).toEqual({
        name,
        description: expect.stringMatching(/\.$/),
      });
    }
  });
});

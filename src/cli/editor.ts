import { existsSync } from "node:fs";
import path from "node:path";
import { Argument, Command } from "commander";
import { EDITORS, type Editor } from "./editor-snippets.ts";
import { CONNECT, SLOT } from "./flags.ts";
import { hallProgram } from "./hall-program.ts";

export const command = (): Command =>
  new Command("editor")
    .summary("print what to paste into an editor")
    .description("Prints what to paste into an editor's settings, with the full paths of this hall.")
    .addArgument(new Argument("<editor>", "which one").choices(Object.keys(EDITORS)))
    .addOption(SLOT)
    .addOption(CONNECT)
    .option("--config <file>", "the roster that hall acp starts a hall with")
    .addHelpText("after", "\nExample:\n  hall editor zed --config ./hall.yml")
    .action(editor);

interface EditorOptions {
  slot?: string;
  connect?: string;
  config?: string;
}

/** The snippet on stdout, where it goes on stderr: so that it can be piped. */
function editor(name: Editor, { slot, connect, config }: EditorOptions): void {
  const { place, snippet } = EDITORS[name];
  const program = hallProgram();
  const args = [
    program,
    "acp",
    ...(slot === undefined ? [] : ["--slot", slot]),
    ...(connect === undefined ? [] : ["--connect", connect]),
    ...(config === undefined ? [] : ["--config", path.resolve(config)]),
  ];
  for (const hint of [place, ...hints(program, connect ?? config)]) process.stderr.write(`${hint}\n`);
  process.stdout.write(`${snippet({ command: process.execPath, args })}\n`);
}

/** An editor names a program by its full path, and knows nothing of the folder that we are in. */
function hints(program: string, named: string | undefined): string[] {
  return [
    ...(program.split(path.sep).includes("_npx")
      ? ["This hall is in npx's cache, which is emptied now and then; npm install -g acp-hall keeps one."]
      : []),
    ...(named === undefined && existsSync("hall.yml")
      ? ["An editor does not read ./hall.yml; --config ./hall.yml puts its full path in."]
      : []),
  ];
}

import fs from "node:fs/promises";
import path from "node:path";

/** What is started in a terminal. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** The whole of it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Absolute, and there. */
  readonly cwd: string;
}

/** A space, or what a shell would understand as something else than a part of a name. */
const SHELL_SYNTAX = /[\s|&;<>()$`"'\\*?[\]{}~#!=]/;

/**
 * ACP's `command` is a program and `args` are its arguments, but agents (Oh My Pi, CodeBuddy, …) put a whole command
 * line into `command` and leave `args` out: editors whose terminals run everything by a shell (Zed) take that, and
 * clients that spawned it as it came (acpx) had to learn it (can1357/oh-my-pi#4333, openclaw/acpx#313). So what
 * reads like a command line, has no arguments and names no program is given to a shell.
 */
export async function asMeant(command: Command): Promise<Command> {
  const { program, args } = command;
  if (args.length > 0 || !SHELL_SYNTAX.test(program) || (await isProgram(command))) return command;
  return { ...command, program: "/bin/sh", args: ["-c", program] };
}

async function isProgram({ program, environment, cwd }: Command): Promise<boolean> {
  const folders = program.includes("/") ? [""] : (environment.PATH ?? "").split(path.delimiter);
  for (const folder of folders) if (await isExecutable(path.resolve(cwd, folder, program))) return true;
  return false;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await fs.access(file, fs.constants.X_OK);
    return (await fs.stat(file)).isFile();
  } catch {
    // Not there, or not for us: no program either way.
    return false;
  }
}

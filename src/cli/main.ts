#!/usr/bin/env node
import { Command, CommanderError } from "commander";
import { version } from "../ground/version.ts";
import type { CommandTable } from "./command-table.ts";
import { complaint } from "./complaint.ts";
import { exitCode } from "./exit-code.ts";

/** Each command is a file of its own, read when it is asked for: `hall acp` starts in an editor's way. */
const COMMANDS: CommandTable = {
  init: () => import("./init.ts"),
  install: () => import("./install.ts"),
  completion: () => import("./completion.ts"),
  check: () => import("./check.ts"),
  doctor: () => import("./doctor.ts"),
  try: () => import("./try.ts"),
  serve: () => import("./serve.ts"),
  acp: () => import("./acp.ts"),
  editor: () => import("./editor.ts"),
  login: () => import("./login.ts"),
  prompt: () => import("./prompt.ts"),
  chat: () => import("./chat.ts"),
  attach: () => import("./attach.ts"),
  agent: () => import("./agent.ts"),
  agents: () => import("./agents.ts"),
  ping: () => import("./ping.ts"),
  status: () => import("./status.ts"),
  sessions: () => import("./sessions.ts"),
  reload: () => import("./reload.ts"),
  stop: () => import("./stop.ts"),
  token: () => import("./token.ts"),
  ps: () => import("./ps.ts"),
  queue: () => import("./queue.ts"),
  cancel: () => import("./cancel.ts"),
  kill: () => import("./kill.ts"),
  logs: () => import("./logs.ts"),
  events: () => import("./events.ts"),
  permissions: () => import("./permissions.ts"),
  permit: () => import("./permit.ts"),
};

const program = new Command("hall")
  .description("A hall for coding agents: sessions that outlive the editor, over the Agent Client Protocol.")
  .version(version())
  .showHelpAfterError("(--help tells how it is used)")
  .exitOverride();

/** The one that was asked for; for the help, and for a word that is none of them, all. */
async function wanted(word: string | undefined): Promise<Command[]> {
  const one = word !== undefined && Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  const files = one ? [one] : Object.values(COMMANDS);
  return Promise.all(files.map(async (read) => (await read()).command(COMMANDS)));
}

/** As `parent` is set up, and so are the commands below it. */
function under(parent: Command, command: Command): Command {
  command.copyInheritedSettings(parent);
  for (const sub of command.commands) under(command, sub);
  return command;
}

// Whoever read us may go: a hall runs on without. Commands for which that is the end say so themselves.
process.stdout.on("error", () => {});

try {
  for (const command of await wanted(process.argv[2])) program.addCommand(under(program, command));
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // It has said what is wrong, or what was asked for, itself.
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else {
    process.stderr.write(complaint(error));
    // Who sent the log elsewhere still wants to see that there is no hall.
    if (process.argv[2] === "serve" && process.stdout.isTTY && !process.stderr.isTTY)
      process.stdout.write(complaint(error));
    // Whoever runs a hook takes any end but 2 for a yes.
    process.exitCode = process.argv[2] === "permit" ? 2 : exitCode(error);
  }
}

import path from "node:path";
import { Command } from "commander";
import { systemClock } from "../ground/clock.ts";
import { version } from "../ground/version.ts";
import { allowedKinds } from "./answers.ts";
import { Chat } from "./chat/chat.ts";
import { chatByLines } from "./chat/chat-lines.ts";
import type { Wish } from "./chat/chat-session.ts";
import { ChatTerminal } from "./chat/chat-terminal.ts";
import { stateHome } from "./chat/prompt-history.ts";
import { type HallChoice, needHall } from "./find-hall.ts";
import { CONFIG, CONNECT, SLOT, TOKEN_FILE } from "./flags.ts";
import { goesOnWith } from "./goes-on.ts";
import { keepAlive } from "./keep-alive.ts";
import { UsageError } from "./usage.ts";

interface ChatOptions extends HallChoice {
  slot?: string;
  session?: string;
  cwd?: string;
  allow?: string;
}

export const command = (): Command =>
  new Command("chat")
    .summary("a chat with an agent, at the terminal")
    .description(
      "A chat with an agent: what is typed is a prompt, and what follows runs on above the line that is typed. You " +
        "are asked what the agent may do; a prompt that is sent while a turn runs waits for it. /help lists commands " +
        "and keys. Ctrl-C cancels the turn, twice leaves; what runs goes on in the hall. Without a terminal each line " +
        "of stdin is a prompt, questions are answered with no but for the kinds of --allow, and it ends with the " +
        "last turn, by the exit codes of hall prompt.",
    )
    .addOption(SLOT)
    .option("--session <id>", "go on in this session (default: a new one)")
    .option("--cwd <folder>", "new sessions' working folder (default: this one)")
    .option("--allow <kinds>", "allow these kinds of tools without asking, as read,edit")
    .addOption(CONNECT)
    .addOption(TOKEN_FILE)
    .addOption(CONFIG)
    .addHelpText("after", "\nExamples:\n  hall chat --slot claude\n  hall chat --session hs_4f")
    .action(chat);

async function chat(options: ChatOptions): Promise<void> {
  const { slot, session, cwd = "." } = options;
  if (session !== undefined && (slot !== undefined || options.cwd !== undefined))
    throw new UsageError("A session has its slot and its folder; leave --slot and --cwd to new ones.");
  const allowed = allowedKinds(options.allow);
  const address = await needHall(options);
  const folder = path.resolve(cwd);
  const wish: Wish = session === undefined ? { slot, cwd: folder } : { id: session };
  const terminal = ownTerminal();
  const talk = new Chat({
    address,
    clock: systemClock,
    version: version(),
    cwd: folder,
    allowed,
    out: terminal?.screen ?? process.stdout,
    aside: terminal?.screen ?? process.stderr,
    isAttended: terminal !== undefined,
    terminal: (view) => terminal?.questions(view),
    changed: () => terminal?.show(),
  });
  const leave = (): void => talk.leave();
  const interrupt = (): void => talk.interrupt();
  process.on("SIGINT", interrupt).on("SIGTERM", leave).on("SIGHUP", leave);
  // Nobody reads what the agent says any more.
  process.stdout.once("error", leave);
  const letGo = keepAlive();
  try {
    talk.begin(wish);
    process.exitCode = await (terminal ? terminal.run(talk) : chatByLines(talk, process.stdin));
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", leave).off("SIGHUP", leave);
    letGo();
    process.stdin.destroy();
  }
  if (talk.sessionId !== undefined) goesOnWith(`hall chat --session ${talk.sessionId}`);
}

/** Undefined: no terminal, or one that cannot move its cursor. */
function ownTerminal(): ChatTerminal | undefined {
  const { stdin, stdout, env } = process;
  if (!stdin.isTTY || !stdout.isTTY || env.TERM === "dumb") return undefined;
  return new ChatTerminal({
    input: stdin,
    output: {
      // A terminal that does not know its size says 0.
      get columns() {
        return stdout.columns || 80;
      },
      get rows() {
        return stdout.rows || 24;
      },
      write: (text) => stdout.write(text),
      on: (event, resized) => stdout.on(event, resized),
      off: (event, resized) => stdout.off(event, resized),
    },
    clock: systemClock,
    stateFolder: stateHome(env),
    suspend(goOn) {
      process.once("SIGCONT", goOn);
      process.kill(process.pid, "SIGTSTP");
    },
  });
}

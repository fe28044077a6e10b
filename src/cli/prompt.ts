import { randomBytes } from "node:crypto";
import path from "node:path";
import { text as readAll } from "node:stream/consumers";
import { Command } from "commander";
import { allowedKinds } from "./answers.ts";
import { type HallChoice, needHall } from "./find-hall.ts";
import { forHall, SLOT } from "./flags.ts";
import { promptBlocks } from "./prompt-blocks.ts";
import { PromptRun } from "./prompt-run.ts";
import { UsageError } from "./usage.ts";

interface PromptOptions extends HallChoice {
  slot?: string;
  session?: string;
  cwd?: string;
  file?: string[];
  image?: string[];
  allow?: string;
  detach?: boolean;
  json?: boolean;
}

const each = (value: string, before: string[] = []): string[] => [...before, value];

export const command = (): Command =>
  forHall(
    new Command("prompt")
      .summary("one turn: sends a prompt, shows what follows")
      .description(
        "Sends one prompt and shows what follows: what the agent says on stdout, what it thinks, plans and does on " +
          "stderr. On a terminal you are asked what it may do; elsewhere the answer is no, but for the kinds of --allow. " +
          "Ctrl-C cancels the turn, a second one leaves.",
      )
      .argument("[text...]", "the prompt; - reads it from stdin")
      .addOption(SLOT)
      .option("--session <id>", "go on in this session: its id, or the beginning of it (default: a new one)")
      .option("--cwd <folder>", "the new session's working folder (default: this one)")
      .option("--file <file>", "send this file too; may be repeated", each)
      .option("--image <file>", "send this image too; may be repeated", each)
      .option("--allow <kinds>", "allow these kinds of tools without asking, as read,edit")
      .option("--detach", "leave when the hall has the prompt, and print the turn's id")
      .option("--json", "print one JSON document when it is over"),
  )
    .addHelpText(
      "after",
      [
        "",
        "Exit codes: 0 it ended, 1 it failed, 5 the model refused, 6 a limit of the agent was reached, 7 cancelled.",
        "",
        "Examples:",
        '  hall prompt --slot claude "what does this project do?"',
        "  git diff | hall prompt --allow read -",
      ].join("\n"),
    )
    .action(prompt);

async function prompt(words: string[], options: PromptOptions): Promise<void> {
  const { slot, session, cwd, file: files = [], image: images = [], detach, json } = options;
  if (session !== undefined && (slot !== undefined || cwd !== undefined))
    throw new UsageError("A session has its slot and its folder; leave --slot and --cwd to new ones.");
  const allowed = allowedKinds(options.allow);
  const isPiped = words.length === 1 && words[0] === "-";
  const text = isPiped ? await readAll(process.stdin) : words.join(" ");
  const blocks = promptBlocks({ text, files, images });
  if (blocks.length === 0)
    throw new UsageError("There is nothing to send; write a text, or - to read it from stdin.");
  const run = new PromptRun({
    address: await needHall(options),
    session: session === undefined ? { slot, cwd: path.resolve(cwd ?? ".") } : session,
    key: `turn_${randomBytes(16).toString("hex")}`,
    blocks,
    allowed,
    // What was piped in is read to its end: nobody is left there to answer.
    isAttended: process.stdin.isTTY && process.stderr.isTTY && !isPiped,
    isDetached: detach === true,
    isForPrograms: json === true,
  });
  process.exitCode = await run.run();
}

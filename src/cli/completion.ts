import { Argument, Command } from "commander";
import { systemClock } from "../ground/clock.ts";
import type { CommandTable } from "./command-table.ts";
import { type Candidate, type Completion, candidates } from "./completion/candidates.ts";
import { knownNames } from "./completion/known-names.ts";
import { SCRIPTS, SHELLS, type Shell } from "./completion/scripts.ts";
import type { HallChoice } from "./find-hall.ts";
import { printable } from "./printable.ts";

export const command = (all: CommandTable): Command =>
  new Command("completion")
    .summary("what a shell reads to complete hall's commands")
    .description(
      "Prints what a shell reads to complete commands, options, slots and sessions. With words behind it, it answers what " +
        "could stand in place of the last one: that is how the shell asks.",
    )
    .addArgument(new Argument("<shell>", "which one").choices(SHELLS))
    .argument("[words...]", "the words of a line behind hall, behind --")
    .addHelpText(
      "after",
      "\nExample:\n  hall completion fish > ~/.config/fish/completions/hall.fish\n\n" +
        "In ~/.bashrc or, behind compinit, in ~/.zshrc:  source <(hall completion bash), or zsh",
    )
    .action((shell: Shell, words: readonly string[]) => complete(shell, words, all));

async function complete(shell: Shell, words: readonly string[], all: CommandTable): Promise<void> {
  if (words.length === 0) process.stdout.write(SCRIPTS[shell]);
  else process.stdout.write(answerOf(await completionOf(words, all)));
}

async function completionOf(words: readonly string[], all: CommandTable): Promise<Completion> {
  const [name = "", ...rest] = words;
  if (rest.length === 0)
    return Object.keys(all)
      .filter((one) => one.startsWith(name))
      .map((value) => ({ value, about: "" }));
  const read = Object.hasOwn(all, name) ? all[name] : undefined;
  if (!read) return [];
  return candidates((await read()).command(all), rest, knownNames(choiceIn(rest), systemClock));
}

/** Which hall the line is about, as far as it says. */
function choiceIn(words: readonly string[]): HallChoice {
  const behind = (option: string): string | undefined => {
    const at = words.indexOf(option);
    return at === -1 ? undefined : words[at + 1];
  };
  return { connect: behind("--connect"), tokenFile: behind("--token-file"), config: behind("--config") };
}

function answerOf(completion: Completion): string {
  if (typeof completion === "string") return `:${completion}\n`;
  return completion.map((one) => `${lineOf(one)}\n`).join("");
}

/** Titles are an agent's or a client's words: on one line, and nothing that a terminal acts on. */
const lineOf = ({ value, about }: Candidate): string =>
  about === "" ? printable(value) : `${printable(value)}\t${printable(about).replaceAll(/\s+/g, " ")}`;

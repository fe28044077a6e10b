import type { Argument, Command, Option } from "commander";

/** What could stand in place of the last word. */
export interface Candidate {
  value: string;
  about: string;
}

/** `files`, `folders`: the shell knows them better. */
export type Completion = readonly Candidate[] | "files" | "folders";

/** Names that only the world outside knows. */
export interface KnownNames {
  slots(): Promise<Candidate[]>;
  sessions(): Promise<Candidate[]>;
  agents(): Promise<Candidate[]>;
}

/**
 * What could come next in a line: `words` are those behind the command's own name, and the last is what is typed of the next
 * one, which may be nothing. What a value is, its name in the help tells: `--config <file>`, `<session>`.
 */
export async function candidates(
  command: Command,
  words: readonly string[],
  known: KnownNames,
): Promise<Completion> {
  const typed = words.at(-1) ?? "";
  const line = readLine(command, words.slice(0, -1));
  if (line.wants) return among(await valuesOf(line.wants, known), typed);
  if (typed.startsWith("-") && !line.isOver) return among(optionsOf(line.command), typed);
  const subcommands = line.command.commands.map((sub) => ({
    value: sub.name(),
    about: sub.summary() || sub.description(),
  }));
  if (subcommands.length > 0 && line.values === 0) return among(subcommands, typed);
  const argument = argumentAt(line.command, line.values);
  return argument ? among(await valuesOf(argument, known), typed) : [];
}

interface Line {
  command: Command;
  /** How many arguments stand there. */
  values: number;
  /** The option whose value comes next. */
  wants: Option | undefined;
  /** `--` stands there: what follows is no option. */
  isOver: boolean;
}

function readLine(top: Command, words: readonly string[]): Line {
  const line: Line = { command: top, values: 0, wants: undefined, isOver: false };
  for (const word of words) {
    const sub = line.command.commands.find((one) => one.name() === word);
    if (line.wants) line.wants = undefined;
    else if (word === "--" && !line.isOver) line.isOver = true;
    else if (word.startsWith("-") && !line.isOver) line.wants = optionWithValue(line.command, word);
    else if (sub && line.values === 0) line.command = sub;
    else line.values += 1;
  }
  return line;
}

function optionWithValue(command: Command, word: string): Option | undefined {
  const option = command.options.find(({ long, short }) => word === long || word === short);
  return option && (option.required || option.optional) ? option : undefined;
}

function argumentAt({ registeredArguments }: Command, at: number): Argument | undefined {
  const last = registeredArguments.at(-1);
  return registeredArguments[at] ?? (last?.variadic ? last : undefined);
}

const optionsOf = ({ options }: Command): Candidate[] => [
  ...options.flatMap(({ long, hidden, description }) =>
    long && !hidden ? [{ value: long, about: description }] : [],
  ),
  { value: "--help", about: "how it is used" },
];

async function valuesOf(wanted: Option | Argument, known: KnownNames): Promise<Completion> {
  if (wanted.argChoices) return wanted.argChoices.map((value) => ({ value, about: "" }));
  switch (valueName(wanted)) {
    case "file":
      return "files";
    case "folder":
      return "folders";
    case "slot":
      return known.slots();
    case "session":
      return known.sessions();
    case "slot-or-session":
      return [...(await known.slots()), ...(await known.sessions())];
    case "known-agent":
      return known.agents();
    default:
      return [];
  }
}

/** As the help has it: `file` of `--config <file>`. */
const valueName = (wanted: Option | Argument): string =>
  "flags" in wanted ? (/[<[]([\w-]+)/.exec(wanted.flags)?.[1] ?? "") : wanted.name();

const among = (all: Completion, typed: string): Completion =>
  typeof all === "string" ? all : all.filter(({ value }) => value.startsWith(typed));

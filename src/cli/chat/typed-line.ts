import { columns } from "../columns.ts";
import type { Paint } from "../paint.ts";
import { printable } from "../printable.ts";
import type { AgentCommand } from "./agent-commands.ts";

/** The chat's own commands: what each takes, and what it does. */
export const OWN_COMMANDS = [
  { name: "help", takes: "", does: "this" },
  { name: "cancel", takes: "[all]", does: "cancels the running turn; all: those that wait too" },
  { name: "new", takes: "", does: "a new session in the same slot" },
  { name: "slot", takes: "[NAME]", does: "lists the slots; a new session in another one" },
  { name: "sessions", takes: "[NUMBER or ID]", does: "lists sessions; goes on in one" },
  { name: "mode", takes: "[NAME]", does: "lists the agent's modes and options; chooses one" },
  { name: "quit", takes: "", does: "leaves; what runs goes on in the hall" },
] as const;

export type OwnName = (typeof OWN_COMMANDS)[number]["name"];

export type TypedLine =
  | { what: "nothing" }
  | { what: "prompt"; text: string }
  | { what: "own"; name: OwnName; words: string }
  | { what: "unknown"; name: string };

/**
 * What a typed text is: a command of ours, or a prompt. An agent's own commands are prompts, and so is any other text
 * that begins with a slash, as a path does; only a lone word that nobody knows is more likely a slip.
 */
export function typedLine(text: string, commands: readonly AgentCommand[]): TypedLine {
  const trimmed = text.trim();
  if (trimmed === "") return { what: "nothing" };
  if (trimmed.startsWith("//")) return { what: "prompt", text: trimmed.slice(1) };
  const [, name = "", words = ""] = /^\/([\w:-]+)(?:\s+(.*))?$/s.exec(trimmed) ?? [];
  const own = OWN_COMMANDS.find((command) => command.name === name);
  if (own) return { what: "own", name: own.name, words: words.trim() };
  const isKnown = commands.some((command) => command.name === name);
  if (name !== "" && words === "" && !isKnown) return { what: "unknown", name };
  return { what: "prompt", text };
}

/** What a text that begins a command can become, for the Tab key. */
export function completions(text: string, commands: readonly AgentCommand[]): string[] {
  return matching(text, commands).map(({ name, takes }) => `/${name}${takes === "" ? "" : " "}`);
}

/** What could be meant by a text that begins a command, for people; an empty string: nothing. */
export function hintFor(text: string, commands: readonly AgentCommand[]): string {
  const found = matching(text, commands);
  const [only] = found;
  if (only && (found.length === 1 || only.name === text.slice(1)))
    return `/${only.name}${only.takes === "" ? "" : ` ${only.takes}`}  ${only.does}`;
  return found.map(({ name }) => `/${name}`).join("  ");
}

function matching(text: string, commands: readonly AgentCommand[]) {
  if (!/^\/[^\s/]*$/.test(text)) return [];
  const known = [
    ...OWN_COMMANDS,
    ...commands
      .filter(({ name }) => !OWN_COMMANDS.some((own) => own.name === name))
      .map(({ name, hint: takes, description: does }) => ({ name, takes, does })),
  ];
  return known
    .filter(({ name }) => `/${name}`.startsWith(text))
    .sort((one, other) => one.name.length - other.name.length || (one.name < other.name ? -1 : 1));
}

/** What `/help` shows. */
export function helpLines(commands: readonly AgentCommand[], { bold, dim }: Paint): string[] {
  const own = OWN_COMMANDS.map(({ name, takes, does }) => [`  /${name} ${takes}`, does]);
  const theirs = commands.map(({ name, description, hint }) => [
    `  /${line(name)}${hint === "" ? "" : ` [${line(hint)}]`}`,
    line(description),
  ]);
  return [
    bold("Commands"),
    ...columns(own),
    ...(theirs.length === 0 ? [] : [bold("The agent's own"), ...columns(theirs)]),
    bold("Keys"),
    ...columns(KEYS),
    dim("All else that is typed is a prompt; // at its start stands for a plain /."),
  ];
}

const KEYS = [
  ["  Enter", "sends; while a turn runs the prompt waits for it"],
  ["  \\ Enter", "begins another line, as Alt-Enter and Ctrl-J do; what is pasted keeps its lines"],
  ["  Up, Down", "what was typed before, also in earlier chats, unless it began with a space"],
  ["  Tab", "completes a command"],
  ["  Ctrl-C", "cancels the turn that runs; twice leaves"],
  ["  Ctrl-D", "leaves"],
];

const line = (text: string): string => printable(text).replaceAll("\n", " ");

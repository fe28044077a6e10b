import { type Fields, isFields } from "../acp/checks.ts";

/** What is known of a tool call that rules judge. What an agent says of it in words, its title, is no part of it. */
export interface ToolCall {
  readonly kind: string | undefined;
  /** The tool's name. */
  readonly tool: string | undefined;
  /** A command line for a shell, or a program and its arguments. */
  readonly command: string | readonly string[] | undefined;
  /** Where that runs; undefined: in the session's folder. */
  readonly folder: string | undefined;
  /** Files that its input names, as it names them, and those whose change it shows. */
  readonly paths: readonly string[];
  readonly urls: readonly string[];
  /** Places that the agent names beside the input. */
  readonly locations: readonly string[];
  /** Its input names more than is looked at, or lies deeper. */
  readonly overflow: boolean;
}

const MOST_NAMES = 256;
const DEEPEST = 6;

/** Reads ACP's `toolCall` (a ToolCallUpdate); what it leaves out is as it was told before. */
export function readToolCall(toolCall: Fields, before?: ToolCall): ToolCall {
  const { kind, rawInput, locations, content } = toolCall;
  const input = rawInput === undefined || rawInput === null ? undefined : readInput(rawInput);
  const changed = Array.isArray(content) ? pathsOf(content.filter(isDiff)) : [];
  return {
    kind: typeof kind === "string" ? kind : before?.kind,
    tool: toolOf(toolCall) ?? before?.tool,
    command: input ? input.command : before?.command,
    folder: input ? input.folder : before?.folder,
    paths: [...(input ? input.paths : (before?.paths ?? [])), ...changed],
    urls: input ? input.urls : (before?.urls ?? []),
    locations: Array.isArray(locations) ? pathsOf(locations) : (before?.locations ?? []),
    overflow: input ? input.overflow : (before?.overflow ?? false),
  };
}

const isDiff = (part: unknown): boolean => isFields(part) && part.type === "diff";

const pathsOf = (entries: readonly unknown[]): string[] =>
  entries.flatMap((entry) => (isFields(entry) && typeof entry.path === "string" ? [entry.path] : []));

function toolOf({ name, _meta }: Fields): string | undefined {
  if (typeof name === "string") return name;
  const claude = isFields(_meta) ? _meta.claudeCode : undefined;
  return isFields(claude) && typeof claude.toolName === "string" ? claude.toolName : undefined;
}

type Input = Pick<ToolCall, "command" | "folder" | "paths" | "urls" | "overflow">;

function readInput(rawInput: unknown): Input {
  const command = isFields(rawInput) ? commandOf(rawInput.command) : undefined;
  const names: string[] = [];
  const whole = command !== undefined || gather(rawInput, false, names, 0);
  return {
    command,
    folder: command !== undefined && isFields(rawInput) ? folderOf(rawInput) : undefined,
    paths: names.filter((name) => !isUrl(name)),
    urls: names.filter(isUrl),
    overflow: !whole,
  };
}

function commandOf(command: unknown): string | readonly string[] | undefined {
  if (typeof command === "string") return command;
  const words = Array.isArray(command) ? command.filter((word) => typeof word === "string") : [];
  return words.length > 0 && Array.isArray(command) && words.length === command.length ? words : undefined;
}

/** How tools call the folder in which a command is to run. */
const FOLDERS = ["cwd", "workdir", "working_directory", "workingDirectory", "directory", "dir_path"];

function folderOf(input: Fields): string | undefined {
  const named = FOLDERS.map((name) => input[name]);
  return named.find((folder): folder is string => typeof folder === "string" && folder !== "");
}

const isUrl = (name: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(name);

/** How tools call the fields in which a path or an address stands: `path`, `file_path`, `notebookPath`, `url`, … */
const NAMING = /(?:^|[^a-z])(?:paths?|files?|filename|filepath|dir|directory|folder|ur[il]s?)$/i;

const isNaming = (key: string): boolean => NAMING.test(key.replaceAll(/([a-z])([A-Z])/g, "$1_$2"));

/** Gathers what stands in fields that name something, wherever they are. False: not all of it. */
function gather(value: unknown, isName: boolean, names: string[], depth: number): boolean {
  if (typeof value === "string") {
    if (isName && value !== "") names.push(value);
    return names.length <= MOST_NAMES;
  }
  if (typeof value !== "object" || value === null) return true;
  if (depth > DEEPEST) return false;
  const inner = Array.isArray(value)
    ? value.map((item): [boolean, unknown] => [isName, item])
    : Object.entries(value).map(([key, item]): [boolean, unknown] => [isNaming(key), item]);
  return inner.every(([named, item]) => gather(item, named, names, depth + 1));
}

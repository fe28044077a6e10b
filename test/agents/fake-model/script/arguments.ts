import { type Property, property } from "./tool.ts";

/** The names that agents give to a tool's arguments, by their meaning. */
const NAMES = {
  command: ["command", "cmd"],
  path: ["file_path", "filePath", "absolute_path", "path"],
  content: ["content", "file_text"],
  before: ["old_string", "oldString", "old_str"],
  after: ["new_string", "newString", "new_str"],
  /** How the command is to run (Codex). */
  sandbox: ["sandbox_permissions"],
  /** What the user is told about it (Codex). */
  reason: ["justification"],
} as const satisfies Record<string, readonly string[]>;

type Meaning = keyof typeof NAMES;

const isMeaning = (name: string): name is Meaning => name in NAMES;
const MEANINGS = Object.keys(NAMES).filter(isMeaning);

/** An entry of a plan. */
export interface PlanStep {
  readonly text: string;
  readonly status: "completed" | "in_progress" | "pending";
}

/** What a scenario gives a tool. */
export type Given = Partial<Record<Meaning, string>> & { readonly plan?: readonly PlanStep[] };

const PLAN_NAMES = ["todos", "plan"];
const PLAN_TEXT_NAMES = ["content", "step", "description", "activeForm"];

/** Milliseconds or seconds, lines or bytes: a number that is sensible as any of them. */
const ANY_NUMBER = 30;

/** Fills a tool's schema: with what was given, under the tool's own names, and with something that fits where it requires more. */
export function argumentsFor(schema: Property, given: Given): Record<string, unknown> {
  return filled(schema, (name, wanted) => {
    if (PLAN_NAMES.includes(name) && given.plan) return planEntries(property(wanted.items), given.plan);
    const meaning = MEANINGS.find((known) => NAMES[known].some((alias) => alias === name));
    const value = meaning && given[meaning];
    return value === undefined ? undefined : fitting(value, wanted);
  });
}

function planEntries(entry: Property, plan: readonly PlanStep[]): unknown[] {
  return plan.map(({ text, status }, index) =>
    filled(entry, (name) => {
      if (PLAN_TEXT_NAMES.includes(name)) return text;
      if (name === "status") return status;
      return name === "id" ? `${index + 1}` : undefined;
    }),
  );
}

/** An object of that schema: each property as `known` says; where it does not know, a filler if one is required. */
function filled(
  schema: Property,
  known: (name: string, wanted: Property) => unknown,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, raw] of Object.entries(schema.properties ?? {})) {
    const wanted = property(raw);
    const value = known(name, wanted) ?? (schema.required?.includes(name) ? filler(name, wanted) : undefined);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

/** A command is a line to some agents, and a list of words for `execve` to others. */
const fitting = (value: string, wanted: Property): unknown =>
  typeOf(wanted) === "array" ? ["bash", "-c", value] : value;

function filler(name: string, wanted: Property): unknown {
  if (wanted.default !== undefined) return wanted.default;
  if (wanted.enum?.length) return wanted.enum[0];
  switch (typeOf(wanted)) {
    case "number":
    case "integer":
      return ANY_NUMBER;
    case "boolean":
      return false;
    case "array":
      return [];
    case "object":
      return filled(wanted, () => undefined);
    default:
      return `any ${name}`;
  }
}

/** The first type that a schema allows. */
const typeOf = ({ type, anyOf }: Property): string | undefined =>
  [type ?? anyOf?.map((choice) => choice.type) ?? []].flat().find((name) => name !== undefined);

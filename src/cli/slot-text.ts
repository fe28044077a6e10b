import type { KnownAgent } from "../agents/known-agent.ts";
import type { FoundAgent } from "./found-agents.ts";

/** A slot, as it is to be written into a roster. */
export interface SlotText {
  name: string;
  /** Lines above it, without their `#`. */
  above: readonly string[];
  /** Its keys and their values, as YAML flow: each may stand on a line of its own, and within braces. */
  keys: readonly (readonly [key: string, value: string])[];
  /** Lines in it that may be used: without their `#`. */
  within: readonly string[];
}

/** Of the environment only names are written, never values. */
export function slotTextOf(
  found: FoundAgent,
  env: NodeJS.ProcessEnv,
  name = slotName(found.agent),
): SlotText {
  const { agent, program, fetches, adapter } = found;
  const { id, title, keys = [], ways } = agent;
  const set = keys.filter((key) => env[key]);
  return {
    name,
    above: [
      `${program}${fetches === undefined ? "" : `, by ${fetches}, which is fetched at its first start`}.`,
      ...(ways?.note === undefined || adapter !== undefined ? [] : [ways.note]),
    ],
    keys: [
      adapter === undefined ? ["agent", id] : ["adapter", adapter],
      ["title", title],
      ...(fetches === undefined ? [] : [["init_timeout", "3m"] as const]),
      ...(set.length > 0 ? [["env_inherit", `[${set.join(", ")}]`] as const] : []),
    ],
    within: [
      ...(set.length === 0 && keys.length > 0
        ? ["Its key, when it takes one from the environment:", `env_inherit: [${keys[0]}]`]
        : []),
      ...(adapter === undefined
        ? []
        : ["Or by the ACP adapter of its makers, in place of adapter:", `agent: ${id}`]),
    ],
  };
}

/** What people call it: the shortest of its names. */
export const slotName = ({ id, aliases = [] }: Pick<KnownAgent, "id" | "aliases">): string =>
  [id, ...aliases].toSorted((one, other) => one.length - other.length)[0] ?? id;

/** The lines of a slot in a block: `indent` before its name, `step` more before its keys. */
export function slotLines({ name, above, keys, within }: SlotText, indent: string, step: string): string[] {
  return [
    ...above.map((line) => `${indent}# ${line}`),
    `${indent}${name}:`,
    ...keys.map(([key, value]) => `${indent}${step}${key}: ${value}`),
    ...within.map((line) => `${indent}${step}# ${line}`),
  ];
}

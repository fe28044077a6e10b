import { auggie } from "./known/auggie.ts";
import { claude } from "./known/claude.ts";
import { cline } from "./known/cline.ts";
import { codex } from "./known/codex.ts";
import { copilot } from "./known/copilot.ts";
import { gemini } from "./known/gemini.ts";
import { opencode } from "./known/opencode.ts";
import { packages } from "./known/packages.ts";
import { pi } from "./known/pi.ts";
import { programs } from "./known/programs.ts";
import { qwen } from "./known/qwen.ts";
import type { KnownAgent } from "./known-agent.ts";

/**
 * The agents that a roster can name by id, with the versions they were tried or listed in. The list is part of the
 * hall: nothing is looked up while it runs. Those that were tried come first.
 */
export const knownAgents: readonly KnownAgent[] = freeze([
  claude,
  codex,
  gemini,
  opencode,
  qwen,
  copilot,
  cline,
  pi,
  auggie,
  ...packages,
  ...programs,
]);

export const knownAgentIds = (): string[] => knownAgents.map((agent) => agent.id);

/** What a roster may call them: by id, or by another name that people know. */
export const knownAgentNames = (): string[] =>
  knownAgents.flatMap(({ id, aliases = [] }) => [id, ...aliases]);

/** The agent of that id, or else of that alias. */
export const findKnownAgent = (name: string): KnownAgent | undefined =>
  knownAgents.find((agent) => agent.id === name) ??
  knownAgents.find((agent) => agent.aliases?.includes(name));

function freeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}

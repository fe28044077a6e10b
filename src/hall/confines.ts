import { isDeepStrictEqual } from "node:util";
import { type Fields, isFields } from "../acp/checks.ts";
import { invalidParams } from "../acp/errors.ts";
import { isWithin } from "../workspace/roots.ts";
import type { SlotConfig } from "./roster.ts";

/** Where a session works, and what it brings. */
export interface Premises {
  cwd: string;
  additionalDirectories: readonly string[];
  /** The client's own; those of the slot are the slot's business. */
  mcpServers: readonly Fields[];
}

/**
 * Keeps a slot to its `roots` and its `mcp_trust`. Asked before each agent session, so that no way to one (a load, a
 * change of slot, a restart with another roster) leads around it. Throws -32602.
 */
export function keepInside({ name, roots, mcpTrust }: SlotConfig, premises: Premises): void {
  const places = [premises.cwd, ...premises.additionalDirectories];
  const outside = roots.length > 0 ? places.find((place) => !isWithin(roots, place)) : undefined;
  if (outside !== undefined) {
    const where = `Slot "${name}" works in ${roots.join(", ")} (roots), and nowhere else: ${outside} is outside.`;
    throw invalidParams(where, { path: outside, roots });
  }
  if (mcpTrust.length === 0) return;
  const trusted = mcpTrust.map((server) => essence({ ...server }));
  const strange = premises.mcpServers.find(
    (server) => !trusted.some((known) => isDeepStrictEqual(known, essence(server))),
  );
  if (!strange) return;
  const what = `Slot "${name}" takes the MCP servers of its mcp_trust alone, and "${String(strange.name)}" is none of them.`;
  throw invalidParams(`${what} Command, arguments and environment must be the same.`, {
    server: strange.name,
  });
}

/** What is run, or called, and with what: a name makes nobody trustworthy. */
function essence({ type, command, args, env, url, headers }: Fields): unknown {
  if (typeof url === "string") return { type, url, headers: pairs(headers) };
  return { command, args: Array.isArray(args) ? args : [], env: pairs(env) };
}

const pairs = (list: unknown): [string, unknown][] =>
  (Array.isArray(list) ? list.filter(isFields) : [])
    .map(({ name, value }): [string, unknown] => [String(name), value])
    .sort(([one], [other]) => one.localeCompare(other));

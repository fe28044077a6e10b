import path from "node:path";
import type { KnownAgent } from "../agents/known-agent.ts";
import { knownAgents } from "../agents/registry.ts";
import { columns } from "./columns.ts";
import { versionBehind } from "./doctor/installed-package.ts";
import { type FoundAgent, foundAgent } from "./found-agents.ts";
import { print } from "./print.ts";

/** How an agent would be run here. */
type Way = "installed" | "adapter" | "fetched" | "missing";

interface Row {
  id: string;
  aliases: readonly string[];
  title: string;
  description: string;
  /** The package and the version that hall runs; null: a program that people install themselves. */
  package: string | null;
  version: string | null;
  way: Way;
  /** Absolute; null: nothing here runs it. */
  program: string | null;
  /** Of its own package, where that is installed. */
  installedVersion: string | null;
}

export function listAgents({ json }: { json?: boolean }): void {
  const agents = knownAgents.map((agent) => rowOf(agent, foundAgent(agent, process.env.PATH, process.cwd())));
  const rows = agents.map((row) => [row.id, row.title, row.version ?? "", placeOf(row)]);
  print(json, { agents }, `${columns([["ID", "AGENT", "VERSION", "HERE"], ...rows]).join("\n")}\n`);
}

function rowOf({ id, aliases = [], title, description, from }: KnownAgent, found?: FoundAgent): Row {
  const isPackage = from.runner !== "none";
  const way = wayOf(found);
  return {
    id,
    aliases,
    title,
    description,
    package: isPackage ? from.package : null,
    version: isPackage ? from.version : null,
    way,
    program: found?.program ?? null,
    installedVersion:
      found && way === "installed" && isPackage ? (versionBehind(found.program, from.package) ?? null) : null,
  };
}

function wayOf(found: FoundAgent | undefined): Way {
  if (!found) return "missing";
  if (found.adapter !== undefined) return "adapter";
  return found.fetches === undefined ? "installed" : "fetched";
}

function placeOf({ way, program, version, installedVersion }: Row): string {
  if (way === "missing") return "not here";
  if (way === "fetched") return `fetched by ${path.basename(program ?? "")}`;
  if (way === "adapter") return `${program}, by an adapter of hall's`;
  const other = installedVersion !== null && installedVersion !== version ? ` (${installedVersion})` : "";
  return `${program}${other}`;
}

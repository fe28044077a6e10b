import { existsSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { packageRoot } from "../ground/package-root.ts";
import { demoProgram } from "./demo-program.ts";
import { hostProgram } from "./host/host-program.ts";
import type { KnownAgent } from "./known-agent.ts";
import { isRemote, type Launch, type LaunchParts, spawnFailed } from "./launch.ts";
import { npxLaunch, uvxLaunch, withNode } from "./package-runner.ts";
import { belongsToPackage, foldersOn, programIn } from "./program.ts";
import { findKnownAgent, knownAgentIds } from "./registry.ts";

/** What a slot runs, of the kinds that speak ACP themselves. */
export type NativeRun =
  | { kind: "command"; command: readonly string[] }
  | { kind: "agent"; id: string }
  | { kind: "module"; file: string }
  | { kind: "demo" };

/**
 * From what a slot runs to the program, before its launcher is put in front of that. A local install of a known agent is preferred: its program on the
 * child's PATH, else in the `node_modules/.bin` that the hall itself was installed with. The session's folder is
 * never looked at, since a client chooses it.
 *
 * @throws RpcError `spawn_failed` when the agent is unknown, or its package runner is not there
 */
export function launchOf(run: NativeRun, parts: LaunchParts): Launch {
  const { args = [], node = process.execPath } = parts;
  if (run.kind === "demo") return { program: node, args: [demoProgram(), ...args], env: {} };
  if (run.kind === "module") return launchOfModule(run.file, parts);
  if (run.kind === "agent") return launchOfKnown(run.id, parts);
  const [program = "", ...own] = run.command;
  const relative = program.includes("/") && !isAbsolute(program) && !isRemote(parts);
  return { program: relative ? resolve(parts.folder, program) : program, args: [...own, ...args], env: {} };
}

/** A line of ACP, where nobody says otherwise. */
const DEFAULT_LINE_BYTES = 32 * 2 ** 20;

/** In a process of its own: an endless loop in it, or a crash, is nobody else's. */
function launchOfModule(file: string, parts: LaunchParts): Launch {
  const { args = [], node = process.execPath, memory = "", lineLimit = DEFAULT_LINE_BYTES } = parts;
  if (!existsSync(file)) throw spawnFailed(parts.slot, `There is no module ${file}; correct its path.`);
  return { program: node, args: [hostProgram(), memory, String(lineLimit), file, ...args], env: {} };
}

function launchOfKnown(id: string, parts: LaunchParts): Launch {
  const agent = findKnownAgent(id);
  if (agent === undefined) {
    const known = knownAgentIds().join(", ");
    throw spawnFailed(parts.slot, `The hall knows no agent ${JSON.stringify(id)}; it knows ${known}.`);
  }
  const args = [...(agent.args ?? []), ...(parts.args ?? [])];
  const launch = installed(agent, args, parts) ?? fetched(agent, args, parts);
  const daemon = agent.ways?.daemon;
  return { ...launch, env: { ...launch.env, ...agent.env }, ...(daemon !== undefined && { daemon }) };
}

function installed({ from }: KnownAgent, args: string[], parts: LaunchParts): Launch | undefined {
  const name = from.runner === "uvx" ? from.package : from.program;
  if (isRemote(parts)) return from.runner === "none" ? { program: from.program, args, env: {} } : undefined;
  if (name === undefined) return undefined;
  const folders = [...foldersOn(parts.path), ...(parts.beside ?? besideTheHall())];
  const program = folders
    .flatMap((folder) => programIn([folder], name) ?? [])
    .find((file) => !("commonName" in from) || belongsToPackage(file, from.package));
  return program === undefined ? undefined : { program, args, env: withNode(parts) };
}

function fetched({ from, id }: KnownAgent, args: string[], parts: LaunchParts): Launch {
  if (from.runner === "npx") return npxLaunch(from, args, parts);
  if (from.runner === "uvx") return uvxLaunch(from.package, from.version, args, parts);
  throw spawnFailed(parts.slot, `Nothing fetches the agent ${id}; install it (${from.home}).`);
}

/** Where npm puts the programs of what the hall depends on, and of what was installed beside it. */
function besideTheHall(): string[] {
  const root = packageRoot();
  const parent = dirname(root);
  const own = join(root, "node_modules", ".bin");
  return basename(parent) === "node_modules" ? [own, join(parent, ".bin")] : [own];
}

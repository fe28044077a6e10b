import type { AdapterName } from "../agents/adapters/names.ts";
import type { KnownAgent } from "../agents/known-agent.ts";
import { launchOf } from "../agents/native.ts";
import { foldersOn, programIn } from "../agents/program.ts";
import { knownAgents } from "../agents/registry.ts";

/** A known agent that can be run on this machine. */
export interface FoundAgent {
  agent: KnownAgent;
  /** Its own program, or what fetches it, or the CLI that an adapter of ours drives. Absolute. */
  program: string;
  /** The package that is fetched at the first start; undefined: nothing is. */
  fetches?: string;
  /** Its CLI is here, which speaks no ACP: this adapter of ours drives it, and nothing need be fetched. */
  adapter?: AdapterName;
}

/** CLIs that people have, and what drives them: an adapter of ours, where that of the ACP registry is not installed. */
const DRIVEN: Readonly<Record<string, { cli: string; adapter: AdapterName }>> = {
  "claude-acp": { cli: "claude", adapter: "claude-code" },
  "codex-acp": { cli: "codex", adapter: "codex" },
  "pi-acp": { cli: "pi", adapter: "pi" },
};

/** The known agents that are on PATH, themselves or by the CLI that is driven: nothing has to be fetched for them. */
export const foundAgents = (path: string | undefined, folder: string): FoundAgent[] =>
  knownAgents.flatMap((agent) => {
    const found = foundAgent(agent, path, folder);
    return found && found.fetches === undefined ? [found] : [];
  });

/** How the agent would be run here; undefined: nothing here runs it. */
export function foundAgent(
  agent: KnownAgent,
  path: string | undefined,
  folder: string,
): FoundAgent | undefined {
  const launch = launchIn(agent, path, folder);
  if (launch && launch.fetches === undefined) return { agent, program: launch.program };
  const driven = DRIVEN[agent.id];
  const cli = driven && programIn(foldersOn(path), driven.cli);
  if (driven && cli !== undefined) return { agent, program: cli, adapter: driven.adapter };
  const fetches = launch?.fetches;
  return launch && fetches !== undefined ? { agent, program: launch.program, fetches } : undefined;
}

/** Undefined: nothing here runs it. */
function launchIn({ id }: KnownAgent, path: string | undefined, folder: string) {
  try {
    return launchOf({ kind: "agent", id }, { slot: id, path, cwd: folder, folder });
  } catch {
    // It says what would have to be installed, which is no matter here.
    return undefined;
  }
}

import type { KnownAgent } from "../agents/known-agent.ts";
import { launchOf } from "../agents/native.ts";
import { foldersOn, programIn } from "../agents/program.ts";
import { knownAgents } from "../agents/registry.ts";

/** A known agent that can be run on this machine. */
export interface FoundAgent {
  agent: KnownAgent;
  /** Its own program, or that of the CLI which its adapter drives. Absolute. */
  program: string;
  /** The adapter that is fetched at the first start; undefined: nothing is. */
  fetches?: string;
}

/** CLIs that people have, and that their ACP adapters, which npx fetches, drive. */
const DRIVEN_BY: Readonly<Record<string, string>> = {
  "claude-acp": "claude",
  "codex-acp": "codex",
  "pi-acp": "pi",
};

/** The known agents that are on PATH, themselves or by the CLI that they drive. */
export function foundAgents(path: string | undefined, folder: string): FoundAgent[] {
  return knownAgents.flatMap((agent): FoundAgent[] => {
    const launch = launchIn(agent, path, folder);
    if (!launch) return [];
    const { program, fetches } = launch;
    if (fetches === undefined) return [{ agent, program }];
    const cli = DRIVEN_BY[agent.id];
    const driven = cli === undefined ? undefined : programIn(foldersOn(path), cli);
    return driven === undefined ? [] : [{ agent, program: driven, fetches }];
  });
}

/** Undefined: nothing here runs it. */
function launchIn({ id }: KnownAgent, path: string | undefined, folder: string) {
  try {
    return launchOf({ kind: "agent", id }, { slot: id, path, cwd: folder, folder, beside: [] });
  } catch {
    // It says what would have to be installed, which is no matter here.
    return undefined;
  }
}

import { failure, type RpcError } from "../acp/errors.ts";
import { isFar, type Launcher } from "./launcher.ts";

/** What is to be spawned. */
export interface Launch {
  program: string;
  args: string[];
  /** Set in the child's environment, unless the slot's `env` sets it. */
  env: Record<string, string>;
  /** Where the program is started, when that is not the session's folder. */
  startIn?: string;
  /** The package that a runner may have to fetch first: a first start can take minutes. */
  fetches?: string;
  /** See `KnownAgent`. */
  daemon?: string;
}

/** What a launch depends on besides the agent. */
export interface LaunchParts {
  slot: string;
  /** A slot's `args`, after the agent's own. */
  args?: readonly string[];
  /** A slot's `launch`. Where it leads elsewhere, the program is looked for there, and not here. */
  launcher?: Launcher | undefined;
  /** The PATH that the child will have. */
  path: string | undefined;
  /** The session's working folder, absolute; undefined: wherever the launcher leads. */
  cwd: string | undefined;
  /** The roster's folder: what a relative path in its commands starts from. */
  folder: string;
  /** Where a module's sessions keep what they remember; absolute. Without it they do so as long as their process. */
  memory?: string;
  /** Bytes of a line that a module may send. */
  lineLimit?: number;
  /** Folders of programs that were installed with the hall; for tests. */
  beside?: readonly string[];
  /** The program of this Node; for tests. */
  node?: string;
}

export const isRemote = ({ launcher }: LaunchParts): boolean => isFar(launcher);

/** No process can be started for this slot: `sentence` says why, and what to do. */
export const spawnFailed = (slot: string, sentence: string, data: Record<string, unknown> = {}): RpcError =>
  failure("spawn_failed", `The agent of slot ${JSON.stringify(slot)} cannot start. ${sentence}`, {
    slot,
    ...data,
  });

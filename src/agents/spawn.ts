import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { codeOf } from "../ground/thrown.ts";
import { spawnFailed } from "./launch.ts";
import { MARK_VARIABLE, markOf } from "./mark.ts";
import { AgentProcess, type ProcessParts } from "./process.ts";
import { findProgram } from "./program.ts";
import { folderProblem } from "./working-folder.ts";

export interface AgentLaunch {
  /** Whose process it is, for messages and the ledger. */
  slot: string;
  /** A path from the root, or a name to be looked for on the PATH of `env`. */
  program: string;
  args: readonly string[];
  /** The whole environment of the child; the mark is added. */
  env: Readonly<Record<string, string>>;
  /** Absolute. */
  cwd: string;
  /** Who named it, for the message when it is no good. */
  cwdFrom: "the client" | "the roster";
  /** Where the program is started, when that is not `cwd`: see `Launch`. */
  startIn?: string | undefined;
  /** See `KnownAgent`. */
  daemon?: string | undefined;
  /** Behind a launcher that leads elsewhere: the first line to its stdin, which starts the agent there. Made of its mark. */
  opening?: ((mark: string) => string) | undefined;
  /** With `opening`: milliseconds from the end of its stdin until nothing of it is left there. */
  endsWithin?: number | undefined;
}

/**
 * Starts an agent process, in a process group of its own. It has its number in the ledger before it exists.
 *
 * @throws RpcError `spawn_failed`: its message says what is missing (the folder, the program, its interpreter)
 */
export function spawnAgent(launch: AgentLaunch, parts: ProcessParts): AgentProcess {
  const { slot, cwd, cwdFrom, startIn = cwd, daemon } = launch;
  const problem = folderProblem(cwd, cwdFrom) ?? folderProblem(startIn, "its launch") ?? textProblem(launch);
  if (problem !== undefined) throw spawnFailed(slot, problem, { cwd });
  const found = findProgram(launch.program, launch.env.PATH);
  if ("problem" in found) throw spawnFailed(slot, found.problem, { program: launch.program });

  const number = numberFor(slot, parts);
  const child = childOf(launch, found.file, markOf(parts.ledger.state, number));
  if (child instanceof Error || !isRunning(child)) {
    forget(number, parts);
    throw spawnFailed(slot, refusal(found.file, child, parts), { program: found.file });
  }
  const startTime = startTimeOf(child.pid, parts);
  const { opening, endsWithin } = launch;
  const agent = new AgentProcess({ child, number, startTime, daemon, endsWithin }, parts);
  if (opening) agent.transport.write(Buffer.from(opening(agent.mark)));
  try {
    if (startTime !== undefined) parts.ledger.spawned(number, { pid: child.pid, startTime });
  } catch (error) {
    void agent.kill();
    throw spawnFailed(slot, ledgerProblem(error));
  }
  return agent;
}

const ledgerProblem = (error: unknown): string =>
  `The list of processes in the state directory cannot be written (${String(error)}); make room, or correct its permissions.`;

/** A zero byte ends a string for the system; Node's own error for it would quote the value, secrets too. */
function textProblem({ args, env }: AgentLaunch): string | undefined {
  const argument = args.findIndex((text) => text.includes("\0"));
  if (argument !== -1) return `Argument ${argument + 1} contains a zero byte; take it out.`;
  const variable = Object.entries(env).find(([name, value]) => /[=\0]|^$/.test(name) || value.includes("\0"));
  if (variable === undefined) return undefined;
  const told = JSON.stringify(variable[0]);
  return `The environment variable ${told} has a zero byte, or no name that the system takes; correct it.`;
}

function numberFor(slot: string, { ledger }: ProcessParts): number {
  try {
    return ledger.begin(slot);
  } catch (error) {
    throw spawnFailed(slot, ledgerProblem(error));
  }
}

function forget(number: number, { ledger, onTrouble }: ProcessParts): void {
  try {
    ledger.ended(number);
  } catch (error) {
    onTrouble?.(ledgerProblem(error));
  }
}

function startTimeOf(pid: number, { table, onTrouble }: ProcessParts): string | undefined {
  try {
    return table.find(pid)?.startTime;
  } catch (error) {
    onTrouble?.(`The start time of process ${pid} cannot be read: ${String(error)}.`);
    return undefined;
  }
}

function childOf(
  { args, env, cwd, startIn = cwd }: AgentLaunch,
  file: string,
  mark: string,
): ChildProcess | Error {
  try {
    return spawn(file, args, {
      cwd: startIn,
      env: { ...env, [MARK_VARIABLE]: mark },
      detached: true,
      shell: false,
      stdio: ["pipe", "pipe", "pipe"],
    });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

const isRunning = (child: ChildProcess): child is ChildProcessWithoutNullStreams & { readonly pid: number } =>
  child.pid !== undefined && child.stdin !== null && child.stdout !== null && child.stderr !== null;

/**
 * Some refusals Node throws, others it reports an event later; what they have in common is that the folder and
 * the program were in order a moment ago. The later word goes to the log.
 */
function refusal(file: string, child: ChildProcess | Error, { onTrouble }: ProcessParts): string {
  const told = JSON.stringify(file);
  if (child instanceof Error) {
    const code = codeOf(child) ?? child.name;
    const hint = code === "E2BIG" ? "shorten its arguments or its environment" : "try it in a shell";
    return `The system refused to start ${told} (${code}); ${hint}.`;
  }
  child.on("error", (error) => onTrouble?.(`The system refused to start ${told}: ${error.message}.`));
  return `The system refused to start ${told}; it may be out of processes, memory or open files (see the log).`;
}

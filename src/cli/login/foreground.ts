import { spawn } from "node:child_process";
import { once } from "node:events";
import { inFront } from "../../agents/behind.ts";
import { childEnvironment } from "../../agents/environment.ts";
import { type Launch, spawnFailed } from "../../agents/launch.ts";
import { launchOf } from "../../agents/native.ts";
import { findProgram } from "../../agents/program.ts";
import { folderProblem } from "../../agents/working-folder.ts";
import { adapterOf, adapterSettings } from "../../hall/adapter-settings.ts";
import type { FarHallRun } from "../../hall/roster/slot-config.ts";
import type { Roster, SlotConfig, SlotRun } from "../../hall/roster.ts";
import type { LoginWay } from "./method.ts";

/** A slot whose agent is started here, and not by another hall. */
export type OwnSlot = SlotConfig & { run: Exclude<SlotRun, FarHallRun> };

export interface ForegroundParts {
  slot: OwnSlot;
  roster: Roster;
  env: NodeJS.ProcessEnv;
}

type TerminalWay = Extract<LoginWay, { args: string[] }>;

/** Signals that a terminal sends to all who are at it: they are for the login, not for us. */
const TYPED = ["SIGINT", "SIGQUIT"] as const;

/**
 * Runs a login in this terminal, where the agent lives: in its environment, in the slot's folder. Resolves with how it
 * ended. Throws `spawn_failed`.
 */
export async function runLogin(
  way: TerminalWay,
  parts: ForegroundParts,
): Promise<{ code: number | null; signal: string | null }> {
  const { slot, env: host } = parts;
  const own = loginLaunch(way, parts);
  const { program, args, env, startIn } = slot.launch ? inFront(slot.launch, own) : own;
  const environment = {
    ...childEnvironment({ host, inherit: slot.envInherit, agent: env, slot: slot.env }),
    ...way.env,
  };
  const found = findProgram(program, environment.PATH);
  if ("problem" in found) throw spawnFailed(slot.name, found.problem, { program });
  const problem = folderProblem(slot.cwd, "the roster");
  if (problem !== undefined) throw spawnFailed(slot.name, problem, { cwd: slot.cwd });
  const ignore = (): void => {};
  for (const signal of TYPED) process.on(signal, ignore);
  try {
    const child = spawn(found.file, args, { cwd: startIn ?? slot.cwd, env: environment, stdio: "inherit" });
    const [code, signal] = await once(child, "exit");
    return { code, signal };
  } finally {
    for (const signal of TYPED) process.off(signal, ignore);
  }
}

/** What is started: the agent's own program, as the slot starts it, unless the way names another. */
function loginLaunch(way: TerminalWay, { slot, roster: { folder }, env: host }: ForegroundParts): Launch {
  if (way.kind === "program") return { program: way.command, args: way.args, env: {} };
  const { run, name, cwd } = slot;
  if (run.kind === "adapter") {
    const adapter = adapterOf(run);
    const settings = adapterSettings(slot, run, folder, {});
    const own = settings.command?.slice(1) ?? [];
    const env = adapter.environment?.(settings) ?? {};
    return { program: adapter.program(settings), args: [...own, ...way.args], env };
  }
  const { PATH: path } = childEnvironment({ host, inherit: slot.envInherit, slot: slot.env });
  return launchOf(run, { slot: name, args: [...slot.args, ...way.args], path, cwd, folder });
}

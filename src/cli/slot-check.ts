import { childEnvironment } from "../agents/environment.ts";
import { syntaxProblem } from "../agents/host/module-syntax.ts";
import type { Launch } from "../agents/launch.ts";
import { isFar } from "../agents/launcher.ts";
import { launchOf } from "../agents/native.ts";
import { findProgram } from "../agents/program.ts";
import { folderProblem } from "../agents/working-folder.ts";
import { showAddress } from "../bridge/hall-address.ts";
import { messageOf } from "../ground/thrown.ts";
import { adapterOf, adapterSettings } from "../hall/adapter-settings.ts";
import type { FarHallRun } from "../hall/roster/slot-config.ts";
import type { SlotConfig, SlotRun } from "../hall/roster.ts";

/** What is known of a slot without starting it. One of `unavailable`, `problem`, `program` and `hall` is there. */
export interface SlotCheck {
  name: string;
  title: string;
  /** A variable that is not set. */
  unavailable?: string;
  /** It cannot start: why, and what to do. */
  problem?: string;
  /** Absolute; of a module its file; behind a launcher that leads elsewhere as it is looked for there. */
  program?: string;
  /** What leads to the program, or starts it. Absolute. */
  launcher?: string;
  /** The address of another hall, which is not asked. */
  hall?: string;
  /** The package that the program fetches at its first start. */
  fetches?: string;
  /** Names of `env_inherit` that this environment lacks. The hall's may have them. */
  unset?: string[];
}

/** `folder`: the roster's; `host`: the environment that the hall would have. */
export function checkSlot(
  slot: SlotConfig,
  folder: string,
  host: NodeJS.ProcessEnv = process.env,
): SlotCheck {
  const { name, title, unavailable } = slot;
  if (unavailable !== undefined) return { name, title, unavailable };
  const { run } = slot;
  if (run.kind === "hall") return { name, title, hall: showAddress(run.address) };
  const surroundings = { host, inherit: slot.envInherit, slot: slot.env };
  const { PATH: path } = childEnvironment(surroundings);
  try {
    const { program, env, fetches } = programOf({ ...slot, run }, folder, path);
    const launcher = slot.launch && findProgram(slot.launch.program, path);
    if (launcher && "problem" in launcher) return { name, title, problem: launcher.problem };
    // What is elsewhere shows when it is started there.
    const far = isFar(slot.launch);
    const found = far
      ? { file: program }
      : findProgram(program, childEnvironment({ ...surroundings, agent: env }).PATH);
    const module = slot.run.kind === "module" ? slot.run.file : undefined;
    const problem =
      "problem" in found
        ? found.problem
        : ((far ? undefined : folderProblem(slot.cwd, "the roster")) ??
          (module === undefined ? undefined : syntaxProblem(module)));
    if (problem !== undefined) return { name, title, problem };
    const unset = slot.envInherit.filter((variable) => host[variable] === undefined);
    return {
      name,
      title,
      program: module ?? ("file" in found ? found.file : program),
      ...(launcher ? { launcher: launcher.file } : {}),
      ...(fetches ? { fetches } : {}),
      ...(unset.length > 0 ? { unset } : {}),
    };
  } catch (error) {
    return { name, title, problem: messageOf(error) };
  }
}

/** What the slot starts, or what its adapter will. */
function programOf(
  slot: SlotConfig & { run: Exclude<SlotRun, FarHallRun> },
  folder: string,
  path: string | undefined,
): Pick<Launch, "program" | "env" | "fetches"> {
  const { run, name, args, cwd, launch: launcher } = slot;
  if (run.kind !== "adapter") return launchOf(run, { slot: name, args, launcher, path, cwd, folder });
  return { program: adapterOf(run).program(adapterSettings(slot, run, folder, {})), env: {} };
}

import { type Environment, farEnvironment, launcherEnvironment } from "./environment.ts";
import { FAR_SHELL, farLine } from "./far-line.ts";
import type { Launch } from "./launch.ts";
import { spawnFailed } from "./launch.ts";
import { isFar, LAUNCHER_VARIABLES, type Launcher } from "./launcher.ts";
import { MARK_VARIABLE } from "./mark.ts";
import { shellCommand } from "./shell-command.ts";
import type { AgentLaunch } from "./spawn.ts";

/** Where a program behind a launcher starts, and with what. */
export interface Surroundings {
  slot: string;
  /** Of the program: here, or where the launcher leads. Undefined: wherever that is. */
  cwd: string | undefined;
  /** The roster's folder, in which a launcher that leads elsewhere starts. */
  folder: string;
  /** The hall's own environment. */
  host: Environment;
  /** A slot's `env_inherit` and `env`. */
  inherit: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Milliseconds between the steps of the ladder; 0: it does not climb. */
  cancelGrace: number;
}

/** The program of a launch with a launcher that stays on this machine in front. */
export function inFront<Front extends Pick<Launch, "program" | "args">>(
  { program, args }: Launcher,
  launch: Front,
): Front {
  return { ...launch, program, args: [...args, launch.program, ...launch.args] };
}

/** What is spawned here so that a launch comes to run far away. Throws `spawn_failed`. */
export function farAway(launcher: Launcher, launch: Launch, around: Surroundings): AgentLaunch {
  const { slot, cwd, folder, host, inherit, cancelGrace } = around;
  const env = farEnvironment({ host, inherit, agent: launch.env, slot: around.env });
  const strange = Object.keys(env).find((name) => !isShellName(name));
  if (strange !== undefined) {
    const told = JSON.stringify(strange);
    throw spawnFailed(
      slot,
      `A shell cannot set the variable ${told}, which its agent far away gets; rename it.`,
    );
  }
  return {
    slot,
    program: launcher.program,
    args: [...launcher.args, ...shellOf(launcher)],
    env: launcherEnvironment({ host, inherit: [...inherit, ...LAUNCHER_VARIABLES[launcher.kind]] }),
    cwd: folder,
    cwdFrom: "the roster",
    opening: (mark) =>
      farLine({
        program: launch.program,
        args: launch.args,
        cwd: launch.startIn ?? cwd,
        env,
        mark: `${MARK_VARIABLE}=${mark}`,
        grace: graceThere(cancelGrace),
      }),
    endsWithin: 2 * graceThere(cancelGrace) * 1_000 + FAR_MARGIN_MS,
  };
}

/** What a shell can `export`. */
export const isShellName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);

/** For what still bears the mark there, and for the way back. */
const FAR_MARGIN_MS = 3_000;
/** Seconds. Agents that end at the end of their stdin do so within two. */
const LONGEST_GRACE = 3;

const graceThere = (cancelGrace: number): number =>
  cancelGrace === 0 ? LONGEST_GRACE : Math.min(Math.max(Math.ceil(cancelGrace / 1_000), 1), LONGEST_GRACE);

/** ssh joins its words with spaces, and hands them to the shell that the user there has. */
function shellOf(launcher: Launcher): string[] {
  const words = ["sh", "-c", FAR_SHELL];
  if (!isFar(launcher)) return [];
  return launcher.kind === "ssh" ? [`exec ${shellCommand(words)}`] : words;
}

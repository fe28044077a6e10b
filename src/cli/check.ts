import { Command } from "commander";
import { childEnvironment } from "../agents/environment.ts";
import { syntaxProblem } from "../agents/host/module-syntax.ts";
import type { Launch } from "../agents/launch.ts";
import { launchOf } from "../agents/native.ts";
import { findProgram } from "../agents/program.ts";
import { folderProblem } from "../agents/working-folder.ts";
import { showAddress } from "../bridge/hall-address.ts";
import { messageOf } from "../ground/thrown.ts";
import { adapterOf, adapterSettings } from "../hall/adapter-settings.ts";
import { RosterError, showFault } from "../hall/roster/fault.ts";
import type { FarHallRun } from "../hall/roster/slot-config.ts";
import type { Fault, Roster, SlotConfig, SlotRun } from "../hall/roster.ts";
import { loadRoster, rosterFile } from "./chosen-roster.ts";
import { columns } from "./columns.ts";
import { JSON_OUTPUT } from "./flags.ts";
import { paint } from "./paint.ts";
import { printable } from "./printable.ts";

export const command = (): Command =>
  new Command("check")
    .summary("check a roster, and whether its agents are there")
    .description(
      "Checks a roster: all that is wrong with it, at once; variables that are not set; and for each slot where its " +
        "program is; a module is read, for its syntax, but not run. Nothing is started. Exits with 2 when the roster is at fault, with 1 when a program is missing.",
    )
    .option(
      "--config <file>",
      "the roster (default: $HALL_CONFIG, ./hall.yml, then the one in the config folder)",
    )
    .addOption(JSON_OUTPUT)
    .addHelpText("after", "\nExample:\n  hall check --config hall.yml")
    .action(check);

/** What is known of a slot without starting it. One of `unavailable`, `problem`, `program` and `hall` is there. */
interface SlotCheck {
  name: string;
  title: string;
  /** A variable that is not set. */
  unavailable?: string;
  /** It cannot start: why, and what to do. */
  problem?: string;
  /** Absolute; of a module its file. */
  program?: string;
  /** The address of another hall, which is not asked. */
  hall?: string;
  /** The package that the program fetches at its first start. */
  fetches?: string;
  /** Names of `env_inherit` that this environment lacks. The hall's may have them. */
  unset?: string[];
}

function check({ config, json }: { config?: string; json?: boolean }): void {
  const file = rosterFile(config);
  let roster: Roster;
  try {
    roster = loadRoster(file);
  } catch (error) {
    if (!(json && error instanceof RosterError)) throw error;
    process.stdout.write(
      `${JSON.stringify({ file, ok: false, faults: error.faults, warnings: [], slots: [] })}\n`,
    );
    process.exitCode = 2;
    return;
  }
  const { warnings } = roster;
  const slots = roster.slots.map((slot) => checkSlot(slot, roster.folder));
  const isUnset = slots.some(({ unavailable }) => unavailable !== undefined);
  const isMissing = slots.some(({ problem }) => problem !== undefined);
  const ok = !isUnset && !isMissing;
  if (json)
    process.stdout.write(`${JSON.stringify({ file: roster.file, ok, faults: [], warnings, slots })}\n`);
  else process.stdout.write(told(roster.file, warnings, slots));
  if (!ok) process.exitCode = isUnset ? 2 : 1;
}

function checkSlot(slot: SlotConfig, folder: string): SlotCheck {
  const { name, title, unavailable } = slot;
  if (unavailable !== undefined) return { name, title, unavailable };
  const { run } = slot;
  if (run.kind === "hall") return { name, title, hall: showAddress(run.address) };
  const surroundings = { host: process.env, inherit: slot.envInherit, slot: slot.env };
  const { PATH: path } = childEnvironment(surroundings);
  try {
    const { program, env, fetches } = programOf({ ...slot, run }, folder, path);
    const found = findProgram(program, childEnvironment({ ...surroundings, agent: env }).PATH);
    const module = slot.run.kind === "module" ? slot.run.file : undefined;
    const problem =
      "problem" in found
        ? found.problem
        : (folderProblem(slot.cwd, "the roster") ??
          (module === undefined ? undefined : syntaxProblem(module)));
    if (problem !== undefined) return { name, title, problem };
    const unset = slot.envInherit.filter((variable) => process.env[variable] === undefined);
    return {
      name,
      title,
      program: module ?? ("file" in found ? found.file : program),
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
  const { run, name, args, cwd } = slot;
  if (run.kind !== "adapter") return launchOf(run, { slot: name, args, path, cwd, folder });
  return { program: adapterOf(run).program(adapterSettings(slot, run, folder, {})), env: {} };
}

function told(file: string, warnings: readonly Fault[], slots: readonly SlotCheck[]): string {
  const { green, red, yellow } = paint(process.stdout);
  const rows = columns(slots.map((slot) => [slot.name, stateOf(slot)]));
  const marks = slots.map(({ unavailable, problem }) => ((unavailable ?? problem) ? red("✗") : green("✓")));
  return [
    file,
    ...warnings.map((warning) => `${yellow("!")} ${printable(showFault(warning))}`),
    ...rows.map((row, at) => `${marks[at]} ${printable(row)}`),
    "",
  ].join("\n");
}

function stateOf({ unavailable, problem, hall, program = "", fetches, unset }: SlotCheck): string {
  if (unavailable ?? problem) return unavailable ?? problem ?? "";
  if (hall !== undefined) return `the hall at ${hall}`;
  return [
    program,
    ...(fetches === undefined ? [] : [`which fetches ${fetches} when it first starts`]),
    ...(unset === undefined ? [] : [`not set here: ${unset.join(", ")}`]),
  ].join(", ");
}

import { Command } from "commander";
import { systemClock } from "../ground/clock.ts";
import { RosterError, showFault } from "../hall/roster/fault.ts";
import type { Fault, Roster } from "../hall/roster.ts";
import { loadRoster, rosterFile } from "./chosen-roster.ts";
import { columns } from "./columns.ts";
import { doorsOf, tokenFindings } from "./doctor/doors.ts";
import type { Finding } from "./doctor/finding.ts";
import { tlsFindings, tlsState } from "./doctor/tls.ts";
import { JSON_OUTPUT } from "./flags.ts";
import { paint } from "./paint.ts";
import { printable } from "./printable.ts";
import { checkSlot, type SlotCheck } from "./slot-check.ts";

export const command = (): Command =>
  new Command("check")
    .summary("check a roster, and whether its agents are there")
    .description(
      "Checks a roster: all that is wrong with it, at once; variables that are not set; and for each slot where its " +
        "program is; a module is read, for its syntax, but not run; certificates, keys and tokens are looked at. Nothing " +
        "is started. Exits with 2 when the roster is at fault, with 1 when a program is missing or a file cannot be used.",
    )
    .option(
      "--config <file>",
      "the roster (default: $HALL_CONFIG, ./hall.yml, then the one in the config folder)",
    )
    .addOption(JSON_OUTPUT)
    .addHelpText("after", "\nExample:\n  hall check --config hall.yml")
    .action(check);

function check({ config, json }: { config?: string; json?: boolean }): void {
  const file = rosterFile(config);
  let roster: Roster;
  try {
    roster = loadRoster(file);
  } catch (error) {
    if (!(json && error instanceof RosterError)) throw error;
    process.stdout.write(
      `${JSON.stringify({ file, ok: false, faults: error.faults, warnings: [], files: [], slots: [] })}\n`,
    );
    process.exitCode = 2;
    return;
  }
  const { warnings } = roster;
  const slots = roster.slots.map((slot) => checkSlot(slot, roster.folder));
  const isUnset = slots.some(({ unavailable }) => unavailable !== undefined);
  const isMissing = slots.some(({ problem }) => problem !== undefined);
  const found = fileFindings(roster);
  const isUnusable = found.some(({ verdict }) => verdict === "fault");
  const ok = !isUnset && !isMissing && !isUnusable;
  if (json) {
    const files = found.map(({ subject, verdict, message, fix = "" }) => ({
      file: subject,
      verdict,
      message,
      fix,
    }));
    process.stdout.write(
      `${JSON.stringify({ file: roster.file, ok, faults: [], warnings, files, slots })}\n`,
    );
  } else process.stdout.write(told(roster.file, warnings, found, slots));
  if (!ok) process.exitCode = isUnset ? 2 : 1;
}

/** What is wrong with files that the roster names: certificates, keys, tokens. */
function fileFindings(roster: Roster): Finding[] {
  const tls = tlsState(roster, systemClock);
  const found = [...(tls ? tlsFindings(tls) : []), ...tokenFindings(doorsOf(roster))];
  return found.filter(({ verdict }) => verdict !== "ok");
}

function told(
  file: string,
  warnings: readonly Fault[],
  found: readonly Finding[],
  slots: readonly SlotCheck[],
): string {
  const { green, red, yellow } = paint(process.stdout);
  const rows = columns(slots.map((slot) => [slot.name, stateOf(slot)]));
  const marks = slots.map(({ unavailable, problem }) => ((unavailable ?? problem) ? red("✗") : green("✓")));
  return [
    file,
    ...warnings.map((warning) => `${yellow("!")} ${printable(showFault(warning))}`),
    ...found.map(({ subject = "", verdict, message, fix = "" }) => {
      const mark = verdict === "fault" ? red("✗") : yellow("!");
      return `${mark} ${printable(`${subject}: ${message} To mend it: ${fix}`)}`;
    }),
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

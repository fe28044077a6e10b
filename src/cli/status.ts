import { Command } from "commander";
import { type Fields, isFields } from "../acp/checks.ts";
import { HallMethod } from "../acp/extensions.ts";
import { askHall, listIn } from "./ask-hall.ts";
import { columns } from "./columns.ts";
import { elapsed } from "./elapsed.ts";
import type { HallChoice } from "./find-hall.ts";
import { forHall, JSON_OUTPUT } from "./flags.ts";
import { print } from "./print.ts";

export const command = (): Command =>
  forHall(new Command("status"))
    .summary("what a hall is doing")
    .description("Tells what a hall is doing: since when, for how many clients, with which agent processes.")
    .addOption(JSON_OUTPUT)
    .addHelpText("after", "\nExample:\n  hall status --json")
    .action(status);

async function status({ json, ...choice }: HallChoice & { json?: boolean }): Promise<void> {
  const report = await askHall(choice, HallMethod.status);
  print(json, report, told(report));
}

function told(report: Fields): string {
  const { version: theirs, pid, uptimeMs, clients, sessions, processes, memoryBytes, disk } = report;
  const hall = [
    ["hall", `${String(theirs)}, pid ${String(pid)}`],
    ["up", elapsed(Number(uptimeMs))],
    // This command is one of them.
    ["clients", String(Number(clients) - 1)],
    ["sessions", String(sessions)],
    ["processes", String(processes)],
    ["memory", `${Math.round(Number(memoryBytes) / 2 ** 20)} MiB`],
    ...rosterRows(report.roster),
    ...diskTrouble(disk),
  ];
  const heads = ["SLOT", "PROCESSES", "TURNS", "WAITING", ""];
  const rows = listIn(report, "slots").map((slot) => [
    String(slot.name),
    String(slot.processes),
    String(slot.turns),
    String(slot.waiting),
    stateOf(slot),
  ]);
  return `${[...columns(hall), "", ...columns([heads, ...rows])].join("\n")}\n`;
}

/** Which roster is in force, and what the file has beyond it. */
function rosterRows(roster: unknown): [string, string][] {
  if (!isFields(roster)) return [];
  const { file, loadedAt, changedOnDisk, rejected, restart } = roster;
  const rows: [string, string][] = [["roster", `${String(file)}, as of ${String(loadedAt)}`]];
  if (isFields(rejected)) {
    const faults = Array.isArray(rejected.faults) ? rejected.faults.length : 0;
    rows.push(["", `was WRONG at ${String(rejected.at)} (${faults} faults: hall check shows them)`]);
  }
  if (changedOnDisk === true) rows.push(["", "the file is another by now: hall reload takes it up"]);
  if (Array.isArray(restart)) rows.push(["", `after a restart only: ${restart.join(", ")}`]);
  return rows;
}

/** Nothing when all is well. */
function diskTrouble(disk: unknown): [string, string][] {
  if (!isFields(disk) || disk.writable !== false) return [];
  return [["disk", `CANNOT BE WRITTEN since ${String(disk.since)}: ${String(disk.error)}`]];
}

/** Why a slot starts no agent; when it does, where that is, if it is at another hall. */
function stateOf({ unavailable, failed, hall }: Fields): string {
  if (typeof unavailable === "string") return `unavailable: ${unavailable}`;
  if (typeof failed === "string") return `failed: ${failed}`;
  return typeof hall === "string" ? `at ${hall}` : "";
}

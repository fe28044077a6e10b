import { Command } from "commander";
import { type Fields, fieldsOf, isFields } from "../acp/checks.ts";
import { systemClock } from "../ground/clock.ts";
import { version } from "../ground/version.ts";
import { columns } from "./columns.ts";
import { Connection, FOR_CONTROL } from "./connection.ts";
import { elapsed } from "./elapsed.ts";
import { type HallChoice, needHall } from "./find-hall.ts";
import { CONFIG, CONNECT, JSON_OUTPUT } from "./flags.ts";
import { printable } from "./printable.ts";

export const command = (): Command =>
  new Command("status")
    .summary("what a hall is doing")
    .description("Tells what a hall is doing: since when, for how many clients, with which agent processes.")
    .addOption(CONNECT)
    .addOption(CONFIG)
    .addOption(JSON_OUTPUT)
    .addHelpText("after", "\nExample:\n  hall status --json")
    .action(status);

async function status({ json, ...choice }: HallChoice & { json?: boolean }): Promise<void> {
  const address = await needHall(choice);
  const report = await Connection.during(
    { address, clock: systemClock, version: version(), meta: FOR_CONTROL },
    async (connection) => fieldsOf(await connection.ask("_hall/status", {})),
  );
  process.stdout.write(json ? `${JSON.stringify(report)}\n` : printable(told(report)));
}

function told(report: Fields): string {
  const { version: theirs, pid, uptimeMs, clients, sessions, processes, memoryBytes, disk, slots } = report;
  const hall = [
    ["hall", `${String(theirs)}, pid ${String(pid)}`],
    ["up", elapsed(Number(uptimeMs))],
    // This command is one of them.
    ["clients", String(Number(clients) - 1)],
    ["sessions", String(sessions)],
    ["processes", String(processes)],
    ["memory", `${Math.round(Number(memoryBytes) / 2 ** 20)} MiB`],
    ...diskTrouble(disk),
  ];
  const table = (Array.isArray(slots) ? slots : []).filter(isFields);
  const heads = ["SLOT", "PROCESSES", "TURNS", "WAITING", ""];
  const rows = table.map((slot) => [
    String(slot.name),
    String(slot.processes),
    String(slot.turns),
    String(slot.waiting),
    troubleOf(slot),
  ]);
  return `${[...columns(hall), "", ...columns([heads, ...rows])].join("\n")}\n`;
}

/** Nothing when all is well. */
function diskTrouble(disk: unknown): [string, string][] {
  if (!isFields(disk) || disk.writable !== false) return [];
  return [["disk", `CANNOT BE WRITTEN since ${String(disk.since)}: ${String(disk.error)}`]];
}

/** Why a slot starts no agent; nothing when it does. */
function troubleOf({ unavailable, failed }: Fields): string {
  if (typeof unavailable === "string") return `unavailable: ${unavailable}`;
  return typeof failed === "string" ? `failed: ${failed}` : "";
}

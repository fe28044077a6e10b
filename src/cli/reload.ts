import { Command } from "commander";
import { type Fields, isFields } from "../acp/checks.ts";
import { HallMethod } from "../acp/extensions.ts";
import { type Fault, RosterError, showFault } from "../hall/roster/fault.ts";
import { RequestFailed } from "../wire/peer.ts";
import { askHall, listIn } from "./ask-hall.ts";
import { columns } from "./columns.ts";
import type { HallChoice } from "./find-hall.ts";
import { forHall, JSON_OUTPUT } from "./flags.ts";
import { outsideOnly } from "./outside-only.ts";
import { print } from "./print.ts";

export const command = (): Command =>
  forHall(new Command("reload"))
    .summary("have a hall take up its roster as the file is now")
    .description(
      "Has a hall read its roster again. A roster that is wrong changes nothing: all that is wrong is shown, exit code " +
        "2. Otherwise it says what holds from when on, and what needs a restart and why. Running turns end as they " +
        "began. Certificates are read again, too. Variables are those of the hall's environment at its start.",
    )
    .addOption(JSON_OUTPUT)
    .addHelpText("after", "\nExample:\n  hall check && hall reload")
    .action(reload);

async function reload({ json, ...choice }: HallChoice & { json?: boolean }): Promise<void> {
  outsideOnly("hall reload", "change the hall that it runs in");
  try {
    const reloaded = await askHall(choice, HallMethod.reload);
    print(json, { ok: true, ...reloaded, faults: [] }, told(reloaded));
  } catch (error) {
    const faults = faultsIn(error);
    if (!faults) throw error;
    if (!json) throw new RosterError(faults);
    print(json, { ok: false, applied: [], restart: [], faults }, "");
    process.exitCode = 2;
  }
}

/** What is wrong with the roster; undefined: it failed of something else. */
function faultsIn(error: unknown): Fault[] | undefined {
  if (!(error instanceof RequestFailed) || !isFields(error.error.data)) return undefined;
  const { faults } = error.error.data;
  return Array.isArray(faults) ? faultsOf(faults) : undefined;
}

const faultsOf = (list: unknown): Fault[] => (Array.isArray(list) ? list.filter(isFault) : []);

const isFault = (value: unknown): value is Fault =>
  isFields(value) && [value.file, value.path, value.message].every((text) => typeof text === "string");

function told(reloaded: Fields): string {
  const applied = listIn(reloaded, "applied");
  const restart = listIn(reloaded, "restart");
  const nothing = applied.length + restart.length === 0;
  return [
    nothing
      ? `${String(reloaded.file)}: nothing is other than it was.`
      : `${String(reloaded.file)} is taken up.`,
    ...faultsOf(reloaded.warnings).map((warning) => `! ${showFault(warning)}`),
    ...columns(applied.map(rowOf)).map((row) => `  ${row}`),
    ...(restart.length > 0 ? ["Only after a restart of the hall:"] : []),
    ...columns(restart.map(rowOf)).map((row) => `  ${row}`),
    ...listIn(reloaded, "unavailable").map(({ slot, why }) => `! slot ${String(slot)}: ${String(why)}`),
    "",
  ].join("\n");
}

const rowOf = ({ key, was, is, note }: Fields): string[] => [String(key), change(was, is), String(note)];

/** What is not written has its default, or is more than one value. */
function change(was: unknown, is: unknown): string {
  if (was === undefined && is === undefined) return "";
  return `${written(was)} → ${written(is)}`;
}

const written = (text: unknown): string => (typeof text === "string" ? text : "(not written)");

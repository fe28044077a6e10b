import { Command, Option } from "commander";
import { systemClock } from "../ground/clock.ts";
import { realDisk } from "../ground/disk.ts";
import { parseDuration } from "../ground/duration.ts";
import { version } from "../ground/version.ts";
import type { Addresses } from "../hall/addresses.ts";
import { showFault } from "../hall/roster/fault.ts";
import type { Roster } from "../hall/roster.ts";
import { stopWhenIdle } from "../server/idleness.ts";
import { Service } from "../server/service.ts";
import { loadRoster, rosterFile } from "./chosen-roster.ts";
import { openLog } from "./log.ts";
import { OwnTerminal } from "./own-terminal.ts";
import { Stopping } from "./stopping.ts";
import { UsageError } from "./usage.ts";

export interface ServeOptions {
  config?: string;
  drain: string;
  printAddresses?: string;
  json?: boolean;
  exitWhenIdle?: string;
}

export const command = (): Command =>
  new Command("serve")
    .summary("run a hall until SIGTERM or Ctrl-C")
    .description(
      "Runs a hall in the foreground. SIGTERM or Ctrl-C stops it: nothing new begins, and what runs may go on for " +
        "--drain; a second one hurries. SIGHUP reloads the roster, as hall reload does; when the terminal that it runs " +
        "in is closed, it stops.",
    )
    .option(
      "--config <file>",
      "the roster (default: $HALL_CONFIG, ./hall.yml, then the one in the config folder)",
    )
    .option("--drain <duration>", "how long running turns may go on when it stops", "10s")
    .option("--print-addresses <file>", "write where it listens to this file, as JSON")
    .option("--json", "log, and say where it listens, as JSON lines")
    .addOption(new Option("--exit-when-idle <duration>", "end when nobody needed it for so long").hideHelp())
    .addHelpText("after", "\nExample:\n  hall serve --config hall.yml")
    .action(serve);

/** `hall serve`: everything is put together here. */
export async function serve(options: ServeOptions): Promise<void> {
  const drain = duration("--drain", options.drain);
  const idle =
    options.exitWhenIdle === undefined ? undefined : duration("--exit-when-idle", options.exitWhenIdle);
  const roster = loadRoster(rosterFile(options.config));
  const log = await openLog(roster.log.level, options.json ? "json" : roster.log.format);
  for (const warning of roster.warnings) log.warn(showFault(warning));
  for (const warning of exposures(roster)) log.warn(warning);
  const stopping = new Stopping(drain);
  // Before anybody can know that it runs: whoever started it may have second thoughts.
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stopping.ask());
  const terminal = new OwnTerminal();
  let open: Service | undefined;
  process.on("SIGHUP", () => {
    if (terminal.isGone) stopping.ask();
    // One that is just starting has read its roster a moment ago.
    else open?.reload.attempt("signal");
  });
  const service = await Service.start({
    roster,
    version: version(),
    clock: systemClock,
    disk: realDisk,
    environment: process.env,
    log,
    stopAsked: () => stopping.ask(),
  });
  open = service;
  const { addresses, hall } = service;
  if (options.printAddresses) realDisk.replace(options.printAddresses, JSON.stringify(addresses));
  const here = { version: version(), pid: process.pid, roster: roster.file, addresses };
  process.stdout.write(options.json ? `${JSON.stringify(here)}\n` : greeting(addresses, roster));
  if (idle !== undefined)
    stopWhenIdle(hall, {
      after: idle,
      keep: () => service.roster.now.keep,
      stop: () => stopping.ask(),
    });
  await stopping.of(service);
}

function duration(flag: string, written: string): number {
  const ms = parseDuration(written);
  if (ms === undefined) throw new UsageError(`${flag} ${written} is no duration; write 10s or 500ms.`);
  return ms;
}

/** What lets in more than the hall's own user, said loudly. */
function exposures({ trustLoopback, listen, insecure }: Roster): string[] {
  if (!listen.tcp && !listen.http) return [];
  const isRoot = process.geteuid?.() === 0;
  return [
    ...(trustLoopback
      ? ["trust_loopback is on: every user of this machine may run programs as this one."]
      : []),
    ...(insecure
      ? ["insecure is on: tokens, and all that is said, can be read on the network and changed there."]
      : []),
    ...(isRoot ? ["This hall runs as root: whatever root forwards to its port comes in as root."] : []),
  ];
}

function greeting({ tcp, http, unix }: Addresses, roster: Roster): string {
  const tls = roster.listen.tls ? " (TLS)" : "";
  const slots = roster.slots.map(({ name, title, unavailable }) => {
    const state = unavailable === undefined ? "" : `  (unavailable: ${unavailable})`;
    return `  ${name}${title === name ? "" : `  ${title}`}${state}`;
  });
  const [first] = roster.slots;
  return [
    "The hall is open.",
    ...(tcp === null ? [] : [`  TCP   ${tcp}${tls}`]),
    ...(http === null ? [] : [`  HTTP  ${http}${tls}   WebSocket /acp, /healthz, /readyz, /metrics`]),
    `  UNIX  ${unix}`,
    "Slots, the first is the default:",
    ...slots,
    `Try it:  hall prompt --slot ${first?.name} "hello"     In an editor:  hall editor zed`,
    "",
  ].join("\n");
}

import { Command } from "commander";
import { isFields } from "../acp/checks.ts";
import { AgentMethod } from "../acp/methods.ts";
import { systemClock } from "../ground/clock.ts";
import { version } from "../ground/version.ts";
import { columns } from "./columns.ts";
import { Connection, FOR_CONTROL } from "./connection.ts";
import { type HallChoice, needHall } from "./find-hall.ts";
import { forHall, JSON_OUTPUT } from "./flags.ts";
import { showAddress } from "./hall-address.ts";
import { print } from "./print.ts";
import { slotsOf } from "./slots-of.ts";

export const command = (): Command =>
  forHall(new Command("ping"))
    .summary("ask a hall whether it is there, and what it is")
    .description(
      "Asks a hall whether it is there: its version, protocol and slots, and how long an answer takes.",
    )
    .addOption(JSON_OUTPUT)
    .addHelpText("after", "\nExample:\n  hall ping --connect tcp://127.0.0.1:7420")
    .action(ping);

/** The first answer warms things up; the shortest of these is what the way there and back takes. */
const ROUNDS = 5;

async function ping({ json, ...choice }: HallChoice & { json?: boolean }): Promise<void> {
  const address = await needHall(choice);
  const parts = { address, clock: systemClock, version: version(), meta: FOR_CONTROL };
  const report = await Connection.during(parts, async (connection) => {
    const { introduction } = connection;
    const info = isFields(introduction.agentInfo) ? introduction.agentInfo : {};
    return {
      address: showAddress(address),
      name: String(info.name ?? "unknown"),
      version: String(info.version ?? "unknown"),
      protocolVersion: introduction.protocolVersion,
      slots: slotsOf(introduction),
      roundTripMs: await roundTrip(connection),
    };
  });
  print(json, report, told(report));
}

/** A second `initialize` gets the answer of the first: it asks nobody but the hall. */
async function roundTrip(connection: Connection): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const start = systemClock.monotonic();
    await connection.ask(AgentMethod.initialize, { protocolVersion: 1 });
    shortest = Math.min(shortest, systemClock.monotonic() - start);
  }
  return Number(shortest.toFixed(3));
}

interface Report {
  address: string;
  name: string;
  version: string;
  protocolVersion: unknown;
  slots: { name: string; title: string }[];
  roundTripMs: number;
}

function told({ address, name, version: theirs, protocolVersion, slots, roundTripMs }: Report): string {
  const rows = [
    [name, `${theirs} at ${address}`],
    ["protocol", `ACP ${String(protocolVersion)}`],
    ["round trip", `${roundTripMs} ms`],
    ...slots.map(({ name: slot, title }, at) => [
      at === 0 ? "slots" : "",
      `${slot}${title === slot ? "" : `  ${title}`}${at === 0 ? "  (default)" : ""}`,
    ]),
  ];
  return `${columns(rows).join("\n")}\n`;
}

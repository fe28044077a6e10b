import { Command } from "commander";
import type { Fields } from "../acp/checks.ts";
import { HallMethod } from "../acp/extensions.ts";
import { askHall, listIn } from "./ask-hall.ts";
import { columns } from "./columns.ts";
import { elapsed } from "./elapsed.ts";
import type { HallChoice } from "./find-hall.ts";
import { forHall, JSON_OUTPUT } from "./flags.ts";
import { outsideOnly } from "./outside-only.ts";
import { print } from "./print.ts";
import { queueStanding } from "./queue-standing.ts";

type Options = HallChoice & { json?: boolean };

export const command = (): Command =>
  new Command("queue")
    .summary("turns that wait: list them, drop one")
    .description("The turns that wait for their session, their slot, or an agent that is being started.")
    .addCommand(
      forHall(new Command("list"))
        .summary("turns that wait")
        .description("Lists the turns that wait, and what for.")
        .addOption(JSON_OUTPUT)
        .addHelpText("after", "\nExample:\n  hall queue list --json")
        .action(list),
      { isDefault: true },
    )
    .addCommand(
      forHall(new Command("drop"))
        .summary("take a turn that waits out: it never runs")
        .description("Takes a turn that waits out: it never runs, and its prompt is answered as cancelled.")
        .argument("<turn>", "its id, or as much of it as no other begins with")
        .option("--session <id>", "the session, where two have a turn of that name")
        .addOption(JSON_OUTPUT)
        .addHelpText("after", "\nExample:\n  hall queue drop turn_4f")
        .action(drop),
    )
    .addHelpText("after", "\nExamples:\n  hall queue\n  hall queue drop turn_4f");

async function list({ json, ...choice }: Options): Promise<void> {
  const turns = listIn(await askHall(choice, HallMethod.turns), "turns").filter(
    ({ state }) => state === "queued",
  );
  print(json, { turns }, told(turns));
}

async function drop(
  turn: string,
  { json, session, ...choice }: Options & { session?: string },
): Promise<void> {
  outsideOnly("hall queue drop", "drop what waits in the hall that it runs in");
  const params = session === undefined ? { turn } : { turn, sessionId: session };
  const dropped = await askHall(choice, HallMethod.dropTurn, params);
  print(json, dropped, `${String(dropped.turn)} is dropped.\n`);
}

function told(turns: readonly Fields[]): string {
  if (turns.length === 0) return "Nothing waits.\n";
  const rows = turns.map((turn) => [
    String(turn.turn),
    String(turn.slot),
    String(turn.sessionId),
    elapsed(Number(turn.ageMs)),
    queueStanding(turn),
  ]);
  return `${columns([["TURN", "SLOT", "SESSION", "AGE", "WAITS"], ...rows]).join("\n")}\n`;
}

import { Command } from "commander";
import { HallMethod } from "../acp/extensions.ts";
import type { HallChoice } from "./find-hall.ts";
import { forHall } from "./flags.ts";
import { follow, limitOf } from "./following.ts";
import { LostHall } from "./usage.ts";

export const command = (): Command =>
  forHall(
    new Command("events")
      .summary("what happens in a hall, as it happens")
      .description(
        "Prints what happens in a hall from now on, one JSON document a line, until Ctrl-C: clients, sessions, turns, " +
          "processes and questions, with ids and sizes and no content. What was not read in time is left out, and " +
          "events.dropped says how much that was.",
      )
      .option("--filter <beginning>", "only types that begin so, as turn. or process.")
      .option("--for <duration>", "end after so long, as 5s"),
  )
    .option("--json", "as ever: it prints nothing else")
    .addHelpText("after", "\nExample:\n  hall events --filter turn. --for 5s")
    .action(events);

async function events({
  filter,
  for: duration,
  json: _json,
  ...choice
}: HallChoice & { filter?: string; for?: string; json?: boolean }): Promise<void> {
  const end = await follow({
    choice,
    method: HallMethod.event,
    limit: limitOf(duration),
    see: (event) => void process.stdout.write(`${JSON.stringify(event)}\n`),
    events: filter ?? "",
  });
  if (end === "hall lost") throw new LostHall();
}

import { Command } from "commander";
import { HallMethod } from "../acp/extensions.ts";
import { askHall } from "./ask-hall.ts";
import type { HallChoice } from "./find-hall.ts";
import { forHall, JSON_OUTPUT } from "./flags.ts";
import { outsideOnly } from "./outside-only.ts";
import { print } from "./print.ts";

export const command = (): Command =>
  forHall(
    new Command("cancel")
      .summary("cancel what runs and waits in a session")
      .description(
        "Cancels the turn that runs in a session, and all that wait there. What runs is asked to stop; an agent that " +
          "does not is sent SIGINT, SIGTERM and SIGKILL, each after cancel_grace. hall kill begins with the last.",
      )
      .argument("<session>", "its id, or as much of it as no other begins with"),
  )
    .addOption(JSON_OUTPUT)
    .addHelpText("after", "\nExample:\n  hall cancel hs_4f")
    .action(cancel);

async function cancel(session: string, { json, ...choice }: HallChoice & { json?: boolean }): Promise<void> {
  outsideOnly("hall cancel", "cancel what runs in the hall that it runs in");
  const answer = await askHall(choice, HallMethod.cancel, { sessionId: session });
  const { sessionId, turns } = answer;
  const told =
    Array.isArray(turns) && turns.length > 0
      ? `${turns.join(" and ")} of ${String(sessionId)}: told to stop.`
      : `Nothing runs or waits in ${String(sessionId)}.`;
  print(json, answer, `${told}\n`);
}

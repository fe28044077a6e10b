import { Command } from "commander";
import { HallMethod } from "../acp/extensions.ts";
import { askHall } from "./ask-hall.ts";
import type { HallChoice } from "./find-hall.ts";
import { forHall, JSON_OUTPUT } from "./flags.ts";
import { outsideOnly } from "./outside-only.ts";
import { print } from "./print.ts";

export const command = (): Command =>
  forHall(
    new Command("kill")
      .summary("end what runs in a session, and its agent, with SIGKILL")
      .description(
        "Ends the agent of a session with SIGKILL, and all that it started; returns when that is gone. What runs and " +
          "waits in the session is answered as cancelled. The session stays: its next prompt starts the agent again. An " +
          "agent in which other sessions' turns run (isolation: slot) is left to them, and ends behind them.",
      )
      .argument("<session>", "its id, or as much of it as no other begins with"),
  )
    .addOption(JSON_OUTPUT)
    .addHelpText("after", "\nExample:\n  hall kill hs_4f")
    .action(kill);

const AGENT: Readonly<Record<string, string>> = {
  killed: "its agent is killed",
  none: "it had no agent",
  "at another hall": "its agent is at another hall, where what ran is cancelled",
  "left to others": "its agent is left to the other sessions whose turns run in it, and ends behind them",
};

async function kill(session: string, { json, ...choice }: HallChoice & { json?: boolean }): Promise<void> {
  outsideOnly("hall kill", "kill what runs in the hall that it runs in");
  const answer = await askHall(choice, HallMethod.kill, { sessionId: session });
  const { sessionId, agent, turns } = answer;
  const ended = Array.isArray(turns) && turns.length > 0 ? `; cancelled: ${turns.join(", ")}` : "";
  print(json, answer, `${String(sessionId)}: ${AGENT[String(agent)] ?? String(agent)}${ended}.\n`);
}

import { Command } from "commander";
import type { Fields } from "../acp/checks.ts";
import { HallMethod } from "../acp/extensions.ts";
import { askHall, listIn } from "./ask-hall.ts";
import { columns } from "./columns.ts";
import { elapsed } from "./elapsed.ts";
import type { HallChoice } from "./find-hall.ts";
import { forHall, JSON_OUTPUT } from "./flags.ts";
import { print } from "./print.ts";
import { queueStanding } from "./queue-standing.ts";

export const command = (): Command =>
  forHall(new Command("ps"))
    .summary("turns that run, ask or wait")
    .description(
      "Lists the turns of a hall that are not over: queued, running, or requires_action, which waits for an answer " +
        "to a question (hall permissions).",
    )
    .addOption(JSON_OUTPUT)
    .addHelpText("after", "\nExample:\n  hall ps --json")
    .action(ps);

async function ps({ json, ...choice }: HallChoice & { json?: boolean }): Promise<void> {
  const answer = await askHall(choice, HallMethod.turns);
  print(json, answer, told(listIn(answer, "turns")));
}

function told(turns: readonly Fields[]): string {
  if (turns.length === 0) return "Nothing runs, and nothing waits.\n";
  const rows = turns.map((turn) => {
    const { slot, sessionId, state, ageMs, title, questions } = turn;
    return [
      String(slot),
      String(sessionId),
      `${String(state)}${Array.isArray(questions) ? ` (${questions.join(", ")})` : ""}`,
      elapsed(Number(ageMs)),
      queueStanding(turn),
      typeof title === "string" ? title : "",
    ];
  });
  return `${columns([["SLOT", "SESSION", "STATE", "AGE", "QUEUE", "TITLE"], ...rows]).join("\n")}\n`;
}

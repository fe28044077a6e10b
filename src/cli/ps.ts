import { Command } from "commander";
import type { Fields } from "../acp/checks.ts";
import { askHall, listIn } from "./ask-hall.ts";
import { columns } from "./columns.ts";
import { elapsed } from "./elapsed.ts";
import type { HallChoice } from "./find-hall.ts";
import { CONFIG, CONNECT, JSON_OUTPUT } from "./flags.ts";
import { print } from "./print.ts";

export const command = (): Command =>
  new Command("ps")
    .summary("turns that run, ask or wait")
    .description(
      "Lists the turns of a hall that are not over: queued, running, or requires_action, which waits for an answer " +
        "to a question (hall permissions).",
    )
    .addOption(CONNECT)
    .addOption(CONFIG)
    .addOption(JSON_OUTPUT)
    .addHelpText("after", "\nExample:\n  hall ps --json")
    .action(ps);

async function ps({ json, ...choice }: HallChoice & { json?: boolean }): Promise<void> {
  const answer = await askHall(choice, "_hall/turns");
  print(json, answer, told(listIn(answer, "turns")));
}

function told(turns: readonly Fields[]): string {
  if (turns.length === 0) return "Nothing runs, and nothing waits.\n";
  const rows = turns.map(({ slot, session, state, ageMs, title, questions }) => [
    String(slot),
    String(session),
    `${String(state)}${Array.isArray(questions) ? ` (${questions.join(", ")})` : ""}`,
    elapsed(Number(ageMs)),
    typeof title === "string" ? title : "",
  ]);
  return `${columns([["SLOT", "SESSION", "STATE", "AGE", "TITLE"], ...rows]).join("\n")}\n`;
}

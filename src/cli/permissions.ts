import { Command } from "commander";
import type { Fields } from "../acp/checks.ts";
import { HallMethod } from "../acp/extensions.ts";
import { askHall, listIn } from "./ask-hall.ts";
import { columns } from "./columns.ts";
import { elapsed } from "./elapsed.ts";
import type { HallChoice } from "./find-hall.ts";
import { forHall, JSON_OUTPUT } from "./flags.ts";
import { outsideOnly } from "./outside-only.ts";
import { testRules } from "./permission-test.ts";
import { print } from "./print.ts";
import { UsageError } from "./usage.ts";

type Options = HallChoice & { json?: boolean };

export const command = (): Command =>
  new Command("permissions")
    .summary("questions that wait: list and answer them; rules and the record")
    .description("The questions of agents: which wait, who decided what, and by which rules.")
    .addCommand(
      sub("list")
        .summary("questions that wait for an answer")
        .description("Lists the questions that wait for an answer.")
        .addOption(JSON_OUTPUT)
        .addHelpText("after", "\nExample:\n  hall permissions list --json")
        .action(list),
      { isDefault: true },
    )
    .addCommand(
      sub("allow")
        .summary("allow one, this once")
        .description("Allows what one question asks for, this once. Refused inside an agent.")
        .argument("<id>", "the question, as in the list")
        .addOption(JSON_OUTPUT)
        .addHelpText("after", "\nExample:\n  hall permissions allow q3")
        .action((id: string, options: Options) => answer(id, true, options)),
    )
    .addCommand(
      sub("deny")
        .summary("refuse one")
        .description("Refuses what one question asks for. Refused inside an agent.")
        .argument("<id>", "the question, as in the list")
        .addOption(JSON_OUTPUT)
        .addHelpText("after", "\nExample:\n  hall permissions deny q3")
        .action((id: string, options: Options) => answer(id, false, options)),
    )
    .addCommand(
      sub("rules")
        .summary("what was allowed for the rest of a session")
        .description(
          "Lists what was allowed or refused for the rest of a session, and takes such a rule away.",
        )
        .argument("<session>", "its id, or as much of it as no other begins with")
        .option("--remove <number>", "take this rule away")
        .addOption(JSON_OUTPUT)
        .addHelpText("after", "\nExample:\n  hall permissions rules hs_4f --remove 1")
        .action(rules),
    )
    .addCommand(
      sub("log")
        .summary("all questions of a session, and who decided them")
        .description("Lists all questions that were asked in a session, what was decided, and by whom.")
        .argument("<session>", "its id, or as much of it as no other begins with")
        .addOption(JSON_OUTPUT)
        .addHelpText("after", "\nExample:\n  hall permissions log hs_4f --json")
        .action(log),
    )
    .addCommand(
      new Command("test")
        .summary("which rule of a roster decides, and why")
        .description("Tells what the rules of a roster's slot would decide, and which of them. Asks no hall.")
        .argument("<slot>", "the slot whose rules are tried")
        .argument("<what>", "a kind of tool, as execute, or a tool, as Bash")
        .argument("[text]", "what it is about: a command, a path, an address")
        .option(
          "--config <file>",
          "the roster (default: $HALL_CONFIG, ./hall.yml, then the one in the config folder)",
        )
        .option("--cwd <folder>", "the session's folder (default: the slot's)")
        .addOption(JSON_OUTPUT)
        .addHelpText("after", "\nExample:\n  hall permissions test claude execute 'git push && rm -rf build'")
        .action(testRules),
    )
    .addHelpText(
      "after",
      [
        "",
        "Examples:",
        "  hall permissions",
        "  hall permissions deny q3",
        "  hall permissions test claude execute 'git push && rm -rf build'",
      ].join("\n"),
    );

const sub = (name: string): Command => forHall(new Command(name));

async function list({ json, ...choice }: Options): Promise<void> {
  const answered = await askHall(choice, HallMethod.questions);
  const questions = listIn(answered, "questions");
  const heads = ["ID", "AGE", "LEFT", "SLOT", "SESSION", "KIND", "WHAT"];
  const rows = questions.map(({ question, ageMs, timeoutMs, slot, sessionId, kind, title }) => [
    String(question),
    elapsed(Number(ageMs)),
    typeof timeoutMs === "number" ? elapsed(Math.max(0, timeoutMs - Number(ageMs))) : "-",
    String(slot),
    String(sessionId),
    said(kind),
    said(title),
  ]);
  print(json, answered, tableOf(heads, rows, "No question waits."));
}

async function answer(question: string, allow: boolean, { json, ...choice }: Options): Promise<void> {
  if (allow) outsideOnly("hall permissions allow", "allow itself anything");
  else outsideOnly("hall permissions deny", "answer the questions of the hall that it runs in");
  await askHall(choice, HallMethod.answerQuestion, { question, allow });
  print(json, { question, allowed: allow }, `${question} is ${allow ? "allowed" : "refused"}.\n`);
}

async function rules(
  session: string,
  { json, remove, ...choice }: Options & { remove?: string },
): Promise<void> {
  const number = remove === undefined ? undefined : Number(remove);
  if (number !== undefined)
    outsideOnly("hall permissions rules --remove", "change the rules that it runs under");
  if (Number.isNaN(number)) throw new UsageError(`--remove ${remove} is no number of a rule.`);
  const params = { sessionId: session, ...(number === undefined ? {} : { remove: number }) };
  const answered = await askHall(choice, HallMethod.permissionRules, params);
  const rows = listIn(answered, "rules").map(({ rule, text, by, at }) => [
    String(rule),
    String(text),
    String(by),
    String(at),
  ]);
  print(
    json,
    answered,
    tableOf(["NO", "RULE", "BY", "SINCE"], rows, "This session has no rules of its own."),
  );
}

async function log(session: string, { json, ...choice }: Options): Promise<void> {
  const answered = await askHall(choice, HallMethod.permissionLog, { sessionId: session });
  const rows = listIn(answered, "questions").map((question) => [
    String(question.askedAt),
    outcomeOf(question),
    said(question.by ?? question.rule),
    typeof question.latencyMs === "number" ? `${question.latencyMs} ms` : "",
    said(question.kind),
    said(question.title),
  ]);
  const heads = ["ASKED", "OUTCOME", "BY", "AFTER", "KIND", "WHAT"];
  print(json, answered, tableOf(heads, rows, "Nothing was asked in this session."));
}

function outcomeOf({ how, allowed }: Fields): string {
  if (how === null) return "open";
  if (how === "answered" || how === "rule") return allowed === true ? "allowed" : "refused";
  return String(how);
}

const said = (value: unknown): string => (typeof value === "string" ? value.replaceAll(/\s+/g, " ") : "");

/** `none`: the sentence that stands in place of an empty table. */
const tableOf = (heads: readonly string[], rows: readonly string[][], none: string): string =>
  `${rows.length === 0 ? none : columns([heads, ...rows]).join("\n")}\n`;

import { Command, Option } from "commander";
import { type Fields, resultOf } from "../acp/checks.ts";
import { HallMethod } from "../acp/extensions.ts";
import { AgentMethod } from "../acp/methods.ts";
import { askHall, withHall } from "./ask-hall.ts";
import type { Connection } from "./connection.ts";
import type { HallChoice } from "./find-hall.ts";
import { forHall, JSON_OUTPUT } from "./flags.ts";
import { outsideOnly } from "./outside-only.ts";
import { print } from "./print.ts";
import { exportSession } from "./session-export.ts";
import { sessionList, sessionView } from "./session-view.ts";
import { UsageError } from "./usage.ts";

type Choice = HallChoice & { json?: boolean };

const ID = "<session>";
const ID_HELP = "its id, or as much of it as no other begins with";

export function command(): Command {
  const sessions = new Command("sessions")
    .summary("the sessions of a hall: list, show, export, delete, close, reset")
    .description("Shows the sessions of a hall, and takes care of one.")
    .addHelpText("after", "\nExamples:\n  hall sessions\n  hall sessions export hs_4f > session.jsonl");
  const sub = (name: string, description: string): Command =>
    forHall(sessions.command(name, { isDefault: name === "list" }).description(description)).addOption(
      JSON_OUTPUT,
    );
  sub("list", "Lists sessions that had a turn, the newest first.")
    .addOption(new Option("--limit <count>", "how many").default("50"))
    .addHelpText("after", "\nExample:\n  hall sessions list --limit 10")
    .action(list);
  sub("show", "Shows all that the hall knows of a session, with its turns.")
    .argument(ID, ID_HELP)
    .addHelpText("after", "\nExample:\n  hall sessions show hs_4f")
    .action(show);
  sub("export", "Writes a session as one file of JSON lines: what it is, then each update as clients got it.")
    .argument(ID, ID_HELP)
    .option("--out <file>", "where to (default: stdout)")
    .addHelpText("after", "\nExample:\n  hall sessions export hs_4f --out session.jsonl")
    .action(exported);
  sub("delete", "Ends what runs in a session, and takes it from the disk for good.")
    .argument(ID, ID_HELP)
    .addHelpText("after", "\nExample:\n  hall sessions delete hs_4f")
    .action(remove);
  sub(
    "close",
    "Ends what runs and waits in a session, unless a client looks on; frees its agent. It is kept.",
  )
    .argument(ID, ID_HELP)
    .addHelpText("after", "\nExample:\n  hall sessions close hs_4f")
    .action(close);
  sub(
    "reset",
    "Gives up a session's agent session once its turns are over: the next prompt starts a new one, with the agent's " +
      "defaults. What was said stays.",
  )
    .argument(ID, ID_HELP)
    .addHelpText("after", "\nExample:\n  hall sessions reset hs_4f")
    .action(reset);
  return sessions;
}

async function list({ limit, json, ...choice }: Choice & { limit: string }): Promise<void> {
  const count = Number(limit);
  if (!Number.isInteger(count) || count < 1)
    throw new UsageError(`--limit ${limit} is no count; write a whole number from 1 on.`);
  const report = await askHall(choice, HallMethod.sessions, { limit: count });
  print(json, report, sessionList(report));
}

async function show(id: string, { json, ...choice }: Choice): Promise<void> {
  const detail = await withHall(choice, (hall) => detailOf(hall, id));
  print(json, detail, sessionView(detail));
}

async function exported(id: string, { out, json, ...choice }: Choice & { out?: string }): Promise<void> {
  const detail = await withHall(choice, (hall) => detailOf(hall, id));
  await exportSession(detail, out);
  if (out === undefined) return;
  const sessionId = String(detail.sessionId);
  print(json, { sessionId, file: out }, `${sessionId} is written to ${out}.\n`);
}

async function remove(id: string, { json, ...choice }: Choice): Promise<void> {
  outsideOnly("hall sessions delete", "delete sessions of the hall that it runs in");
  const { sessionId } = await each(choice, id, AgentMethod.deleteSession);
  print(json, { sessionId, deleted: true }, `${sessionId} is deleted.\n`);
}

async function close(id: string, { json, ...choice }: Choice): Promise<void> {
  outsideOnly("hall sessions close", "close sessions of the hall that it runs in");
  const { sessionId, clients } = await each(choice, id, AgentMethod.closeSession);
  const others = Number(clients) > 0 ? ` ${String(clients)} clients look on, so what runs goes on.` : "";
  print(json, { sessionId, closed: true }, `${sessionId} is closed.${others}\n`);
}

async function reset(id: string, { json, ...choice }: Choice): Promise<void> {
  outsideOnly("hall sessions reset", "reset sessions of the hall that it runs in");
  const { sessionId } = await each(choice, id, HallMethod.resetSession);
  print(json, { sessionId, reset: true }, `The next prompt of ${sessionId} starts a new agent session.\n`);
}

/** Asks for something about one session; answers what it was before. */
function each(choice: HallChoice, id: string, method: string): Promise<Fields & { sessionId: string }> {
  return withHall(choice, async (hall) => {
    const detail = await detailOf(hall, id);
    const sessionId = String(detail.sessionId);
    await hall.ask(method, { sessionId });
    return { ...detail, sessionId };
  });
}

const detailOf = async (hall: Connection, sessionId: string): Promise<Fields> =>
  resultOf(await hall.ask(HallMethod.sessions, { sessionId }));

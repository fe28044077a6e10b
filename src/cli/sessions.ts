import { Command, Option } from "commander";
import { type Fields, fieldsOf, isFields } from "../acp/checks.ts";
import { AgentMethod } from "../acp/methods.ts";
import { systemClock } from "../ground/clock.ts";
import { version } from "../ground/version.ts";
import { Connection, FOR_CONTROL } from "./connection.ts";
import { type HallChoice, needHall } from "./find-hall.ts";
import { CONFIG, CONNECT, JSON_OUTPUT } from "./flags.ts";
import { printable } from "./printable.ts";
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
    sessions
      .command(name, { isDefault: name === "list" })
      .description(description)
      .addOption(CONNECT)
      .addOption(CONFIG)
      .addOption(JSON_OUTPUT);
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
  const report = await withHall(choice, async (hall) =>
    fieldsOf(await hall.ask("_hall/sessions", { limit: count })),
  );
  process.stdout.write(json ? `${JSON.stringify(report)}\n` : printable(sessionList(report)));
}

async function show(id: string, { json, ...choice }: Choice): Promise<void> {
  const detail = await withHall(choice, (hall) => detailOf(hall, id));
  process.stdout.write(json ? `${JSON.stringify(detail)}\n` : printable(sessionView(detail)));
}

async function exported(id: string, { out, json, ...choice }: Choice & { out?: string }): Promise<void> {
  const detail = await withHall(choice, (hall) => detailOf(hall, id));
  await exportSession(detail, out);
  if (out === undefined) return;
  tell(json, { sessionId: detail.sessionId, file: out }, `${String(detail.sessionId)} is written to ${out}.`);
}

async function remove(id: string, { json, ...choice }: Choice): Promise<void> {
  const { sessionId } = await each(choice, id, AgentMethod.deleteSession);
  tell(json, { sessionId, deleted: true }, `${sessionId} is deleted.`);
}

async function close(id: string, { json, ...choice }: Choice): Promise<void> {
  const { sessionId, clients } = await each(choice, id, AgentMethod.closeSession);
  const others = Number(clients) > 0 ? ` ${String(clients)} clients look on, so what runs goes on.` : "";
  tell(json, { sessionId, closed: true }, `${sessionId} is closed.${others}`);
}

async function reset(id: string, { json, ...choice }: Choice): Promise<void> {
  const { sessionId } = await each(choice, id, "_hall/session/reset");
  tell(json, { sessionId, reset: true }, `The next prompt of ${sessionId} starts a new agent session.`);
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

async function withHall<Value>(
  choice: HallChoice,
  work: (hall: Connection) => Promise<Value>,
): Promise<Value> {
  const address = await needHall(choice);
  return Connection.during({ address, clock: systemClock, version: version(), meta: FOR_CONTROL }, work);
}

async function detailOf(hall: Connection, sessionId: string): Promise<Fields> {
  const detail = await hall.ask("_hall/sessions", { sessionId });
  return isFields(detail) ? detail : {};
}

function tell(json: boolean | undefined, document: object, sentence: string): void {
  process.stdout.write(json ? `${JSON.stringify(document)}\n` : `${sentence}\n`);
}

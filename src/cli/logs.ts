import { Command, Option } from "commander";
import { type Fields, fieldsOf } from "../acp/checks.ts";
import { HallMethod } from "../acp/extensions.ts";
import { listIn } from "./ask-hall.ts";
import type { Connection } from "./connection.ts";
import type { HallChoice } from "./find-hall.ts";
import { forHall } from "./flags.ts";
import { follow, limitOf } from "./following.ts";
import { clockTime, moment } from "./moment.ts";
import { printable } from "./printable.ts";
import { LostHall, UsageError } from "./usage.ts";

type Options = HallChoice & { follow?: boolean; for?: string; limit: string; json?: boolean };

export const command = (): Command =>
  forHall(
    new Command("logs")
      .summary("what an agent said on stderr, and what became of it")
      .description(
        "Shows what the agents of a slot, or of one session, said on stderr, and what became of them: started, serving " +
          "a session, killed, ended, failed. It is kept in the hall's memory, the newest of each process, and gone when " +
          "the hall ends.",
      )
      .argument("<slot-or-session>", "a slot's name, or a session's id or the beginning of it")
      .option("--follow", "go on with what comes, until Ctrl-C")
      .option("--for <duration>", "with --follow: end after so long, as 5s")
      .addOption(
        new Option("--limit <count>", "how many of the newest lines are shown first").default("200"),
      ),
  )
    .option("--json", "print one JSON document; with --follow one a line")
    .addHelpText("after", "\nExamples:\n  hall logs claude --follow\n  hall logs hs_4f --json")
    .action(logs);

async function logs(
  named: string,
  { follow: goesOn = false, for: duration, limit, json = false, ...choice }: Options,
): Promise<void> {
  const count = Number(limit);
  if (!Number.isInteger(count) || count < 0)
    throw new UsageError(`--limit ${limit} is no count; write a whole number from 0 on.`);
  if (duration !== undefined && !goesOn) throw new UsageError("--for goes with --follow.");
  const show = (entry: Fields): void =>
    void process.stdout.write(json ? `${JSON.stringify(entry)}\n` : printable(`${lineOf(entry)}\n`));
  const end = await follow({
    choice,
    method: HallMethod.logEntry,
    limit: limitOf(duration),
    see: show,
    begin: async (hall) => {
      const whose = await whoseLog(hall, named);
      const log = fieldsOf(await hall.ask(HallMethod.logs, { ...whose, limit: count, follow: goesOn }));
      if (json && !goesOn) process.stdout.write(`${JSON.stringify(log)}\n`);
      else {
        if (!json) process.stderr.write(printable(lacking(log)));
        for (const entry of listIn(log, "entries")) show(entry);
      }
      return goesOn;
    },
  });
  if (end === "hall lost") throw new LostHall();
}

/** A name that is both is the slot's. */
async function whoseLog(hall: Connection, named: string): Promise<Fields> {
  const slots = listIn(fieldsOf(await hall.ask(HallMethod.slots, {})), "slots").map(({ name }) => name);
  if (slots.includes(named)) return { slot: named };
  if (named.startsWith("hs_")) return { sessionId: named };
  throw new UsageError(
    `There is no slot ${JSON.stringify(named)}; there are: ${slots.join(", ")}. A session's id begins with hs_.`,
  );
}

/** What there once was and is not shown. */
function lacking({ since, hallStartedAt, dropped }: Fields): string {
  const why =
    since === hallStartedAt ? "when this hall started" : "as those that ended are kept in a small number";
  const older = Number(dropped) > 0 ? ` ${String(dropped)} older lines are left out.` : "";
  return `Kept since ${moment(since)}, ${why}.${older}\n`;
}

function lineOf({ ts, what, text, pid, count }: Fields): string {
  if (what === "dropped") return `${clockTime(ts)}  … ${String(count)} lines were not read in time`;
  const who = typeof pid === "number" ? `[${pid}] ` : "";
  return `${clockTime(ts)}  ${who}${what === "stderr" ? "" : "-- "}${String(text)}`;
}

import { Command, Option } from "commander";
import { MARK_VARIABLE } from "../agents/mark.ts";
import { systemClock } from "../ground/clock.ts";
import { version } from "../ground/version.ts";
import { type HallChoice, needHall } from "./find-hall.ts";
import { CONFIG, CONNECT, TOKEN_FILE } from "./flags.ts";
import { Follower } from "./follower.ts";
import { goesOnWith } from "./goes-on.ts";
import { keepAlive } from "./keep-alive.ts";
import { NotAllowed, UsageError } from "./usage.ts";

interface AttachOptions extends HallChoice {
  from: "now" | "start";
  approve?: boolean;
  json?: boolean;
}

export const command = (): Command =>
  new Command("attach")
    .summary("follow a session live, whoever prompts in it")
    .description(
      "Follows a session: what its agent says on stdout; prompts, thoughts, plans, tools and how turns ended on " +
        "stderr. Any number may follow. Its questions are shown, and answered only with --approve. Ctrl-C leaves; " +
        "the session goes on.",
    )
    .argument("<session>", "its id, or as much of it as no other begins with")
    .addOption(
      new Option("--from <place>", "where to begin: now, or start").choices(["now", "start"]).default("now"),
    )
    .option("--approve", "be asked its questions, at this terminal; refused inside an agent")
    .option("--json", "print each update as one JSON line, and each turn's events")
    .addOption(CONNECT)
    .addOption(TOKEN_FILE)
    .addOption(CONFIG)
    .addHelpText("after", "\nExamples:\n  hall attach hs_4f --from start\n  hall attach hs_4f --approve")
    .action(attach);

async function attach(session: string, options: AttachOptions): Promise<void> {
  const { from, approve = false, json = false } = options;
  const { stdin, stdout, stderr } = process;
  if (approve && process.env[MARK_VARIABLE] !== undefined)
    throw new NotAllowed("An agent does not answer its own questions: --approve is refused inside one.");
  if (approve && !(stdin.isTTY && stderr.isTTY))
    throw new UsageError("--approve asks at a terminal; from elsewhere hall permissions allow answers.");
  const follower = new Follower({
    address: await needHall(options),
    clock: systemClock,
    version: version(),
    session,
    isFromStart: from === "start",
    isForPrograms: json,
    keys: approve ? stdin : undefined,
    out: stdout,
    aside: stderr,
  });
  const leave = (): void => follower.leave();
  process.on("SIGINT", leave).on("SIGTERM", leave).on("SIGHUP", leave);
  stdout.once("error", leave);
  const letGo = keepAlive();
  try {
    process.exitCode = await follower.run();
  } finally {
    process.off("SIGINT", leave).off("SIGTERM", leave).off("SIGHUP", leave);
    letGo();
  }
  if (!json) goesOnWith(`hall chat --session ${follower.sessionId}`);
}

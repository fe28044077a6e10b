import { Command, Option } from "commander";
import { systemClock } from "../ground/clock.ts";
import { parseDuration } from "../ground/duration.ts";
import { messageOf } from "../ground/thrown.ts";
import { failClosed } from "./fail-closed.ts";
import { HookRun } from "./hook-run.ts";
import { HOOK_SETTINGS } from "./hook-settings.ts";
import { UsageError } from "./usage.ts";

interface PermitOptions {
  format: "claude-code" | "json";
  deadline: string;
  outside: "deny" | "pass";
  settings?: boolean;
}

/** Claude Code ends a hook after 600 s, and lets the tool run then. */
const DEADLINE = "590s";

export const command = (): Command =>
  new Command("permit")
    .summary("a hook: may this tool run? Asked in the hall that the agent runs in")
    .description(
      "A hook for agents that run in a hall. It reads on stdin what is to run, asks in the hall, whose rules and " +
        "people decide, and prints the decision. Whatever goes wrong is a no: it ends with 0 and the decision on stdout, or " +
        "with 2 and the reason on stderr. With --format json it ends with 0 for yes and 2 for no.",
    )
    .addOption(
      new Option("--format <format>", "what is read and printed")
        .choices(["claude-code", "json"])
        .default("claude-code"),
    )
    .option("--deadline <duration>", "an answer that takes longer is a no", DEADLINE)
    .addOption(
      new Option("--outside <what>", "where no hall is around: refuse, or leave it to the agent")
        .choices(["deny", "pass"])
        .default("deny"),
    )
    .option("--settings", "print what goes into Claude Code's settings.json, and do nothing else")
    .addHelpText(
      "after",
      [
        "",
        "Examples:",
        "  hall permit --settings",
        `  echo '{"tool": "deploy", "reason": "release 1.2"}' | hall permit --format json && ./deploy`,
      ].join("\n"),
    )
    .action(permit);

async function permit({ format, deadline, outside, settings }: PermitOptions): Promise<void> {
  if (settings) {
    process.stdout.write(`${JSON.stringify(HOOK_SETTINGS, null, 2)}\n`);
    return;
  }
  const refuse = failClosed();
  const ms = parseDuration(deadline);
  if (!ms) throw new UsageError(`--deadline ${deadline} is no duration; write 590s or 5m.`);
  const parts = { format, deadline: ms, outside, clock: systemClock, environment: process.env };
  // What is open, a connection above all, must not keep it from ending.
  await new HookRun(parts)
    .run()
    .catch((error: unknown) => refuse(`The hook met a defect (${messageOf(error)})`));
}

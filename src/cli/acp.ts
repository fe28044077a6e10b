import { Command } from "commander";
import type { Fields } from "../acp/checks.ts";
import { Code } from "../acp/errors.ts";
import { MARK_VARIABLE } from "../agents/mark.ts";
import { apologize } from "../bridge/apology.ts";
import { Bridge } from "../bridge/bridge.ts";
import { watchParent } from "../bridge/parent-watch.ts";
import { systemClock } from "../ground/clock.ts";
import { parseDuration } from "../ground/duration.ts";
import { messageOf } from "../ground/thrown.ts";
import { version } from "../ground/version.ts";
import { RosterError, showFault } from "../hall/roster/fault.ts";
import type { ErrorBody } from "../wire/message.ts";
import { ownStdio } from "../wire/stdio.ts";
import type { Transport } from "../wire/transport.ts";
import { complaint } from "./complaint.ts";
import { connectTo } from "./connection.ts";
import { exitCode } from "./exit-code.ts";
import { addressIn, findHall, namedAddress } from "./find-hall.ts";
import { forHall, SLOT } from "./flags.ts";
import { keepAlive } from "./keep-alive.ts";
import { connectAgain } from "./lasting-connection.ts";
import { linkNews } from "./link-news.ts";
import { printable } from "./printable.ts";
import { NoHall, UsageError } from "./usage.ts";

export interface AcpOptions {
  slot?: string;
  connect?: string;
  tokenFile?: string;
  config?: string;
  /** `--no-start` makes it false. */
  start: boolean;
  /** A duration. */
  reconnect: string;
}

/** A connection to a hall, and the way to make it again. */
interface Reached {
  hall: Transport;
  again(): Promise<Transport>;
}

export const command = (): Command =>
  forHall(
    new Command("acp")
      .summary("ACP on stdin and stdout, a hall behind: what an editor starts")
      .description(
        "ACP on stdin and stdout, a hall behind: what an editor starts as its agent. When no hall runs it starts one, " +
          "with the roster of --config, $HALL_CONFIG, or hall/hall.yml in the config folder; never with ./hall.yml. When " +
          "the connection to the hall is lost, or the hall is restarted, it comes back and the editor sees a pause.",
      )
      .addOption(SLOT)
      .option("--no-start", "start no hall when none runs")
      .option(
        "--reconnect <duration>",
        "how long to try to come back to a hall that is lost; 0: not at all",
        "10m",
      ),
  )
    .addHelpText(
      "after",
      "\nExample, as an editor's command:\n  hall acp --slot claude\n\nhall editor prints what to paste.",
    )
    .action(acp);

const TERMINAL_HINT =
  "hall: This speaks ACP, one JSON message a line, for an editor; hall chat is for people. Ctrl-D ends it.\n";

/** `hall acp`. Nothing but ACP goes to stdout. */
export async function acp(options: AcpOptions): Promise<void> {
  const letGo = keepAlive();
  const editor = ownStdio();
  try {
    await serveEditor(editor, options);
  } finally {
    letGo();
  }
}

async function serveEditor(editor: Transport, options: AcpOptions): Promise<void> {
  let reached: Reached;
  let patience: number;
  try {
    patience = durationOf(options.reconnect);
    reached = await reach(options);
  } catch (error) {
    process.stderr.write(complaint(error));
    const code = exitCode(error);
    // Whatever went wrong: there is no hall.
    process.exitCode = code === 1 ? 3 : code;
    const unwatch = watchParent(systemClock, () => editor.destroy());
    if (!process.stdin.isTTY) await apologize(editor, apologyFor(error), systemClock);
    unwatch();
    return;
  }
  if (process.stdin.isTTY) process.stderr.write(TERMINAL_HINT);
  const bridge = new Bridge({
    editor,
    hall: reached.hall,
    reconnect: reached.again,
    patience,
    clock: systemClock,
    slot: options.slot,
    process: process.env[MARK_VARIABLE],
    met: compareVersions,
    told: (news) => void process.stderr.write(`hall: ${printable(linkNews(news, patience))}\n`),
  });
  const unwatch = watchParent(systemClock, () => bridge.drop());
  process.stdout.once("error", () => bridge.drop());
  const end = await bridge.run();
  unwatch();
  if (end === "hall lost") process.exitCode = 1;
}

/**
 * A connection to the hall that is meant, started if need be. One that was started for this editor is started again
 * when it crashed: one that was stopped has left no lock, and whoever stopped it did not mean to have it back. That
 * one, as any other, is waited for where it was.
 */
async function reach({ connect, tokenFile, config, start }: AcpOptions): Promise<Reached> {
  const named = namedAddress({ connect, tokenFile });
  if (named) return { hall: await connectTo(named), again: () => connectAgain(named) };
  const address = await findHall({ config });
  // One that is stopping may still be listed, and takes nobody any more.
  const running = address && (await connectTo(address).catch(() => undefined));
  if (running) return { hall: running, again: () => connectTo(address) };
  if (!start) throw new NoHall("No hall of yours runs, and --no-start says to start none; run hall serve.");
  const { loadRoster, rosterFileElsewhere } = await import("./chosen-roster.ts");
  const { connectIn, startHall } = await import("./start-hall.ts");
  const file = rosterFileElsewhere(config);
  const roster = loadRoster(file);
  const again = async (): Promise<Transport> => {
    const found = await connectIn(roster.state);
    if (found) return found;
    if (!addressIn(roster.state)) throw new NoHall("the hall was stopped; hall serve starts it again");
    return startHall(loadRoster(file), systemClock);
  };
  return { hall: await startHall(roster, systemClock), again };
}

/** Throws a UsageError. */
function durationOf(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new UsageError(`--reconnect is a duration, as 30s or 10m, and not "${text}".`);
  return ms;
}

/** What the editor shows: one sentence. All of it stands on stderr. */
function apologyFor(error: unknown): ErrorBody {
  const code = Code.internal;
  if (error instanceof RosterError) {
    const [first, ...others] = error.faults;
    const more = others.length > 0 ? ` (and ${others.length} more: hall check --config ${first?.file})` : "";
    const fault = first === undefined ? "" : showFault(first);
    return {
      code,
      message: `No hall can be started with its roster: ${fault}${more}`,
      data: { faults: error.faults },
    };
  }
  const message = messageOf(error);
  return { code, message: message.replaceAll(/\s*\n\s*/g, " ") };
}

/** A hall outlives the version that started it. */
function compareVersions({ name, version: theirs }: Fields): void {
  const ours = version();
  if (name !== "hall" || theirs === ours) return;
  process.stderr.write(
    `hall: The hall that runs is version ${String(theirs)}, this is ${ours}; hall stop ends it, the next start is ours.\n`,
  );
}

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Command, Option } from "commander";
import { MemoryNumbers } from "../agents/adapters/memory-numbers.ts";
import { Notebook } from "../agents/adapters/notebook.ts";
import { findKnownAgent } from "../agents/registry.ts";
import { systemTable } from "../agents/system-table.ts";
import { folderProblem } from "../agents/working-folder.ts";
import { systemClock } from "../ground/clock.ts";
import { realDisk } from "../ground/disk.ts";
import { parseDuration } from "../ground/duration.ts";
import { version } from "../ground/version.ts";
import { masked } from "../hall/roster/exposure.ts";
import type { Roster, SlotConfig } from "../hall/roster.ts";
import { slotAgents } from "../hall/slot-agents.ts";
import { PROMPTS, type Prompts } from "../trial/prompts.ts";
import { Recording } from "../trial/recording.ts";
import { type StageParts, SWEEP } from "../trial/stage.ts";
import { Trial, timesOf } from "../trial/trial.ts";
import { loadRoster, rosterFile } from "./chosen-roster.ts";
import { JSON_OUTPUT } from "./flags.ts";
import { keepAlive } from "./keep-alive.ts";
import { paint } from "./paint.ts";
import { printable } from "./printable.ts";
import { announcement, trialTable } from "./trial-table.ts";
import { UsageError } from "./usage.ts";

interface TryOptions {
  config?: string;
  cwd?: string;
  timeout?: number;
  /** False: none is sent (`--no-prompt`). */
  prompt: string | boolean;
  longPrompt: string;
  toolPrompt: string;
  json?: boolean;
}

export const command = (): Command =>
  new Command("try")
    .summary("hold a slot's agent against the protocol")
    .description(
      "Starts the agent of a slot, without a hall, and tries what clients and a hall rely on: sessions, turns, questions, " +
        "cancel, coming back, bad lines, its end. A table tells what it did and where it deviates, what a hall makes of " +
        "that, and how to mend it. Nine short prompts go to the agent, which may cost money where a model is behind it. " +
        "Exits with 1 when something breaks the protocol.",
    )
    .argument("<slot>", "the slot, as the roster names it")
    .option(
      "--config <file>",
      "the roster (default: $HALL_CONFIG, ./hall.yml, then the one in the config folder)",
    )
    .option("--cwd <folder>", "where the agent works (default: an empty folder, gone afterwards)")
    .addOption(
      new Option(
        "--timeout <time>",
        "how long each answer may take, as 30s or 2m (default: the slot's init_timeout)",
      ).argParser(durationOf),
    )
    .option("--prompt <text>", "what an ordinary turn is asked", PROMPTS.talk)
    .option("--no-prompt", "send no prompt: only what needs no model")
    .option("--long-prompt <text>", "what a turn is asked that is to be cancelled", PROMPTS.long)
    .option("--tool-prompt <text>", "what a turn is asked in which it runs a command", PROMPTS.tool)
    .addOption(JSON_OUTPUT)
    .addHelpText(
      "after",
      "\nExamples:\n  hall try demo\n  hall try claude --no-prompt\n  hall try mine --json",
    )
    .action(tryOut);

function durationOf(written: string): number {
  const ms = parseDuration(written);
  if (ms === undefined || ms === 0)
    throw new UsageError(`--timeout ${written} is no time; write one as 30s, 2m or 500ms.`);
  return ms;
}

async function tryOut(name: string, options: TryOptions): Promise<void> {
  const roster = loadRoster(rosterFile(options.config));
  const slot = slotOf(roster, name);
  // Apart from every hall: its state is in a folder of its own, which goes with it.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hall-try-")));
  const letGo = keepAlive();
  try {
    const cwd = options.cwd === undefined ? join(folder, "work") : resolve(options.cwd);
    if (options.cwd === undefined) realDisk.makeFolder(cwd);
    const problem = folderProblem(cwd, "--cwd");
    if (problem !== undefined) throw new UsageError(problem);
    await perform(roster, slot, { ...options, cwd, state: join(folder, "state") });
  } finally {
    letGo();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Performance extends TryOptions {
  cwd: string;
  state: string;
}

async function perform(roster: Roster, slot: SlotConfig, options: Performance): Promise<void> {
  const { cwd, json } = options;
  const parts = stageParts(roster, slot, options);
  const { dim } = paint(process.stderr);
  const say = (text: string): void => void (json || process.stderr.write(printable(text)));
  say(announcement(slot.name, cwd, parts.prompts));
  const trial = new Trial(parts, ({ does }) => {
    if (process.stderr.isTTY) say(dim(`… ${does}\n`));
  });
  const giveUp = (): void => void trial.giveUp();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, giveUp);
  const outcomes = await trial.run();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.off(signal, giveUp);
  const mask = (text: string): string => masked(text, roster.secrets);
  const checks = outcomes.map((outcome) => ({ ...outcome, found: mask(outcome.found) }));
  const ok = checks.every(({ verdict }) => verdict !== "deviates");
  const { recording } = trial;
  const agent = recording.agentInfo ?? null;
  const document = {
    slot: slot.name,
    ok,
    agent,
    capabilities: recording.capabilities,
    prompts: recording.asked("session/prompt").length,
    processes: recording.of("started").length,
    times: timesOf(recording),
    checks,
  };
  if (json) process.stdout.write(`${JSON.stringify(document)}\n`);
  else process.stdout.write(trialTable(checks, agent, paint(process.stdout)));
  if (!ok) process.exitCode = 1;
}

function stageParts(roster: Roster, slot: SlotConfig, { cwd, state, ...options }: Performance): StageParts {
  const table = systemTable();
  const clock = systemClock;
  const agents = slotAgents(slot, {
    clock,
    ledger: new MemoryNumbers(),
    table,
    notebook: new Notebook(realDisk, state),
    disk: realDisk,
    host: process.env,
    folder: roster.folder,
    state,
    lineLimit: () => roster.limits.line,
    cancelGrace: () => roster.cancelGrace,
    sweep: SWEEP,
    mask: (text) => masked(text, roster.secrets),
    onStderr() {},
    noticed() {},
  });
  realDisk.makeFolder(state);
  const known = slot.run.kind === "agent" ? findKnownAgent(slot.run.id) : undefined;
  return {
    clock,
    recording: new Recording(clock),
    patience: { answer: options.timeout ?? slot.initTimeout, cancel: roster.cancelGrace || 5_000 },
    prompts: promptsOf(options),
    cwd,
    lineLimit: roster.limits.line,
    askingMode: known?.ways?.askingMode,
    clientInfo: { name: "hall", title: "hall try", version: version() },
    spawn: (folder) => agents.spawn(folder, {}),
    commandOf: (identity) => table.commandLine(Number.parseInt(identity, 10)).join(" ") || `pid ${identity}`,
  };
}

/** `--prompt` and `--no-prompt` are one option: false, or a text. */
function promptsOf({ prompt, longPrompt, toolPrompt }: TryOptions): Prompts | undefined {
  return typeof prompt === "string" ? { talk: prompt, long: longPrompt, tool: toolPrompt } : undefined;
}

function slotOf({ slots }: Roster, name: string): SlotConfig {
  const slot = slots.find((one) => one.name === name);
  if (!slot) {
    const names = slots.map((one) => one.name).join(", ");
    throw new UsageError(`There is no slot ${JSON.stringify(name)}; there are: ${names}.`);
  }
  if (slot.unavailable !== undefined)
    throw new UsageError(`Slot ${name} is unavailable: ${slot.unavailable}`);
  return slot;
}

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Command, Option } from "commander";
import type { AdapterSettings } from "../agents/adapters/adapter.ts";
import { MemoryNumbers } from "../agents/adapters/memory-numbers.ts";
import { ADAPTER_NAMES, type AdapterName, PRESET_NAMES } from "../agents/adapters/names.ts";
import { adapters } from "../agents/adapters/registry.ts";
import { Runner } from "../agents/adapters/runner.ts";
import { childEnvironment } from "../agents/environment.ts";
import { serveModule } from "../agents/host/serve.ts";
import { spawnFailed } from "../agents/launch.ts";
import { findProgram } from "../agents/program.ts";
import { spawnAgent } from "../agents/spawn.ts";
import { systemTable } from "../agents/system-table.ts";
import { systemClock } from "../ground/clock.ts";
import { ownStdio } from "../wire/stdio.ts";
import { keepAlive } from "./keep-alive.ts";
import { printable } from "./printable.ts";
import { UsageError } from "./usage.ts";

export interface AgentOptions {
  preset?: string;
  output: "text" | "jsonl";
  resume?: string[];
  env?: string[];
  verbose?: boolean;
  state?: string;
}

export const command = (): Command =>
  new Command("agent")
    .summary("a module, or a program that does not speak ACP, as an ACP agent on stdin and stdout")
    .description(
      "Runs one agent alone, without a hall, as an ACP agent on stdin and stdout. A file is a JavaScript module whose " +
        "default export is an agent; what follows -- is what it finds in process.argv. Else it is an adapter, and a " +
        "program that does not speak ACP becomes an agent: what follows -- is the program and its arguments; without " +
        "it the adapter's own program is looked for on PATH.",
    )
    .argument("<agent>", `the file of a module (./agent.mjs), or an adapter: ${ADAPTER_NAMES.join(", ")}`)
    .argument("[command...]", "the program and its arguments, behind --")
    .option("--state <folder>", "for a module: where its sessions are kept, to be listed, loaded and resumed")
    .addOption(new Option("--preset <name>", "for one-shot: a well-known program").choices(PRESET_NAMES))
    .addOption(
      new Option("--output <how>", "for one-shot: what the command writes is the answer, or an event a line")
        .choices(["text", "jsonl"])
        .default("text"),
    )
    .option(
      "--resume <argument...>",
      "for one-shot: added from a session's second run on, with {session} in it",
    )
    .option(
      "--env <name...>",
      "let these variables through, beside a safe base and what the program is known to need",
    )
    .option("--verbose", "what the program says on stderr, on stderr")
    .addHelpText(
      "after",
      "\nExamples:\n  hall agent ./agent.mjs\n  hall agent claude-code\n  hall agent one-shot -- ./ask.sh\n  hall agent codex -- /opt/codex/bin/codex",
    )
    .action(agent);

const LINE_LIMIT = 32 * 2 ** 20;
const OPEN_WITHIN_MS = 60_000;
const CANCEL_GRACE_MS = 5_000;

/** `hall agent`. Nothing but ACP goes to stdout. Ends when stdin does. */
export async function agent(chosen: string, words: string[], options: AgentOptions): Promise<void> {
  const name = ADAPTER_NAMES.find((one) => one === chosen);
  if (name !== undefined) await runAdapter(name, words, options);
  else runModule(chosen, words, options);
}

function runModule(chosen: string, args: string[], { state, ...options }: AgentOptions): void {
  const file = resolve(chosen);
  if (!existsSync(file)) {
    const names = ADAPTER_NAMES.join(", ");
    throw new UsageError(`${chosen} is neither a file nor an adapter; the adapters are ${names}.`);
  }
  const { preset, output, resume, env } = options;
  if (preset !== undefined || resume !== undefined || env !== undefined || output !== "text") {
    throw new UsageError("A module takes --state alone; the other options are for adapters.");
  }
  const folder = state === undefined ? undefined : resolve(state);
  serveModule({ file, args, state: folder, isAlone: true, lineLimit: LINE_LIMIT });
}

async function runAdapter(name: AdapterName, words: string[], options: AgentOptions): Promise<void> {
  if (options.state !== undefined) throw new UsageError("--state is for modules.");
  const adapter = adapters[name];
  const settings = settingsOf(name, words, options);
  const environment = childEnvironment({
    host: process.env,
    inherit: [...(adapter.variables ?? []), ...(options.env ?? [])],
    agent: adapter.environment?.(settings) ?? {},
  });
  const program = adapter.program(settings);
  const found = findProgram(program, environment.PATH);
  if ("problem" in found) throw spawnFailed(name, found.problem, { program });
  const say = (line: string): void => void process.stderr.write(`hall: ${printable(line)}\n`);
  const parts = {
    clock: systemClock,
    table: systemTable(),
    ledger: new MemoryNumbers(),
    onStderr: options.verbose ? say : () => {},
    onTrouble: say,
  };
  const letGo = keepAlive();
  await new Promise<void>((over) => {
    const runner = new Runner(ownStdio(), {
      adapter,
      settings: { ...settings, environment },
      clock: systemClock,
      lineLimit: LINE_LIMIT,
      openWithin: OPEN_WITHIN_MS,
      cancelGrace: CANCEL_GRACE_MS,
      spawn: (what, cwd) =>
        spawnAgent({ ...what, slot: name, env: environment, cwd, cwdFrom: "the client" }, parts),
      noticed: (what, detail) => say(detail instanceof Error ? `${what}: ${detail.message}` : what),
      ended: () => void runner.stop().then(over),
    });
    const hurry = (): void => void runner.stop("kill").then(over);
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, hurry);
    process.stdout.once("error", hurry);
    runner.start();
  });
  letGo();
  process.stdin.destroy();
}

function settingsOf(name: AdapterName, words: string[], options: AgentOptions): AdapterSettings {
  const { preset, output, resume } = options;
  const oneShot = name === "one-shot";
  if (!oneShot && (preset !== undefined || resume !== undefined || output !== "text")) {
    throw new UsageError("--preset, --output and --resume are for hall agent one-shot.");
  }
  if (oneShot && words.length === 0 && preset === undefined) {
    throw new UsageError("hall agent one-shot needs a command behind --, or --preset.");
  }
  return {
    command: words.length > 0 ? absoluteProgram(words) : undefined,
    args: [],
    output,
    resumeArgs: resume,
    preset,
    environment: {},
  };
}

/** A program with a path in it is meant from where this was started, wherever a session works. */
function absoluteProgram([program = "", ...args]: string[]): string[] {
  return [program.includes("/") ? resolve(program) : program, ...args];
}

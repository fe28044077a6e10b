import fs from "node:fs";
import path from "node:path";
import { Command } from "commander";
import type { KnownAgent } from "../agents/known-agent.ts";
import { findKnownAgent, knownAgentNames } from "../agents/registry.ts";
import { readRosterFile } from "../hall/roster/file.ts";
import { nameFault } from "../hall/roster/slot-name.ts";
import { parseRoster } from "../hall/roster.ts";
import { withSlot } from "./added-slot.ts";
import { listAgents } from "./agent-list.ts";
import { rosterFile } from "./chosen-roster.ts";
import { JSON_OUTPUT } from "./flags.ts";
import { type FoundAgent, foundAgent } from "./found-agents.ts";
import { replaceFile } from "./replaced-file.ts";
import { rosterText } from "./roster-text.ts";
import { slotLines, slotName, slotTextOf } from "./slot-text.ts";
import { UsageError } from "./usage.ts";

export const command = (): Command =>
  new Command("agents")
    .summary("the agents that hall knows: list them, add one to a roster")
    .description("The agents that hall knows by name, and how each would be run on this machine.")
    .addCommand(
      new Command("list")
        .summary("the known agents, and which are here")
        .description(
          "Lists the agents that hall knows, with the version that it runs, and what would run each here: its own " +
            "program, an adapter for the CLI that is here, or npx or uvx, which fetch it. Nothing is started or fetched.",
        )
        .addOption(JSON_OUTPUT)
        .addHelpText("after", "\nExample:\n  hall agents list --json")
        .action(listAgents),
      { isDefault: true },
    )
    .addCommand(
      new Command("add")
        .summary("add a slot for one to a roster")
        .description(
          "Adds a slot for a known agent at the end of a roster's slots; all else in the file stays as it is, comments " +
            "too. Where there is no roster, one is written.",
        )
        .argument("<known-agent>", "the agent, as hall agents list has it")
        .option("--name <name>", "what the slot is called (default: the agent's shortest name)")
        .option(
          "--config <file>",
          "the roster (default: $HALL_CONFIG, ./hall.yml, then the one in the config folder)",
        )
        .addHelpText("after", "\nExamples:\n  hall agents add gemini\n  hall agents add claude --name review")
        .action(add),
    );

function add(id: string, { name, config }: { name?: string; config?: string }): void {
  const agent = findKnownAgent(id);
  if (!agent)
    throw new UsageError(
      `Hall knows no agent ${JSON.stringify(id)}; hall agents list shows those that it knows.`,
    );
  const named = name ?? slotName(agent);
  const fault = nameFault(named);
  if (fault) throw new UsageError(`${JSON.stringify(named)}: ${fault.what}; ${fault.todo}.`);
  const found = foundAgent(agent, process.env.PATH, process.cwd()) ?? notHere(agent);
  const file = rosterToChange(config);
  if (!fs.existsSync(file)) writeNew(file);
  replaceFile(file, () => rosterWith(file, found, named));
  const flag = config === undefined ? "" : ` --config ${config}`;
  const fetched = found.fetches === undefined ? "" : ` Its first start fetches ${found.fetches}.`;
  process.stdout.write(
    [
      `Added slot ${named} (${agent.title}) to ${file}.${fetched}`,
      `Next:  hall check${flag}   hall login ${named}${flag}`,
      `A hall that runs takes it up with hall reload${flag}.`,
      "",
    ].join("\n"),
  );
}

function notHere({ id, from }: KnownAgent): never {
  if (from.runner === "none") throw new Error(`Nothing here runs ${id}; install it first (${from.home}).`);
  const runner = from.runner === "npx" ? "npx (it comes with npm)" : "uvx (it comes with uv)";
  throw new Error(`Nothing here runs ${id}; install it, or ${runner}, which fetches it.`);
}

/** The one that commands find; where there is none, the one that `hall init` would write. */
function rosterToChange(config: string | undefined): string {
  try {
    const file = rosterFile(config);
    return fs.existsSync(file) ? fs.realpathSync(file) : file;
  } catch (error) {
    if (error instanceof UsageError) return path.resolve("hall.yml");
    throw error;
  }
}

/** Throws a RosterError when the roster is wrong before, a UsageError when the slot cannot be added. */
function rosterWith(file: string, found: FoundAgent, name: string): string {
  const text = readRosterFile(file);
  const options = { knownAgents: knownAgentNames() };
  const { slots } = parseRoster(text, file, process.env, options);
  if (slots.some((slot) => slot.name === name))
    throw new UsageError(`${file} has a slot ${name} already; --name gives this one another name.`);
  const slot = slotTextOf(found, process.env, name);
  const changed = withSlot(text, slot);
  if (changed === undefined)
    throw new UsageError(
      [
        `${file} is written in a way that is best changed by hand; add under slots:`,
        ...slotLines(slot, "  ", "  "),
      ].join("\n"),
    );
  parseRoster(changed, file, process.env, options);
  return changed;
}

/** With the demo agent alone. */
function writeNew(file: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  fs.writeFileSync(file, rosterText([], process.env), { flag: "wx", mode: 0o644 });
}

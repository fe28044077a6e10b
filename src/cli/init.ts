import fs from "node:fs";
import path from "node:path";
import { Command } from "commander";
import { knownAgentNames } from "../agents/registry.ts";
import { codeOf } from "../ground/thrown.ts";
import { parseRoster } from "../hall/roster.ts";
import { foundAgents } from "./found-agents.ts";
import { moduleSlot, rosterText } from "./roster-text.ts";
import { STARTER_AGENT } from "./starter-agent.ts";
import { UsageError } from "./usage.ts";

export const command = (): Command =>
  new Command("init")
    .summary("write a roster with the agents that are on PATH")
    .description(
      "Writes a roster with the agents that are on PATH, and before them the demo agent, which needs no key. A file " +
        "that is there is left as it is.",
    )
    .option("--config <file>", "the file to write", "hall.yml")
    .option("--agent", "also write agent.mjs beside it, an agent written as code to begin with, and its slot")
    .addHelpText(
      "after",
      "\nExamples:\n  hall init\n  hall init --agent\n  hall init --config ~/.config/hall/hall.yml",
    )
    .action(init);

const MODULE = "agent.mjs";

function init({ config, agent = false }: { config: string; agent?: boolean }): void {
  const file = path.resolve(config);
  if (agent) writeStarter(file);
  const found = foundAgents(process.env.PATH, path.dirname(file));
  const text = rosterText(found, process.env, agent ? `./${MODULE}` : undefined);
  // What is written passes hall check; if not, that is a defect of ours, and better known now.
  const { slots } = parseRoster(text, file, process.env, { knownAgents: knownAgentNames() });
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeNew(file, text);
  const [first] = slots;
  const flag = config === "hall.yml" ? "" : ` --config ${config}`;
  process.stdout.write(
    [
      `Wrote ${file} with ${slots.length} ${slots.length === 1 ? "slot" : "slots"}: ${slots.map(({ name }) => name).join(", ")}.`,
      ...found.flatMap(({ agent, program, adapter }) =>
        adapter === undefined ? [] : [`${agent.title} is driven by hall's own adapter, as ${program}.`],
      ),
      `Next:  hall check${flag}   hall serve${flag}`,
      `Then, in another terminal:  hall prompt --slot ${first?.name} "hello"   (more agents: hall agents list)`,
      "",
    ].join("\n"),
  );
}

/** Where a roster is there already, it stays; what to add to it is said. */
function writeStarter(roster: string): void {
  const file = path.join(path.dirname(roster), MODULE);
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeNew(file, STARTER_AGENT);
  process.stdout.write(`Wrote ${file}. Alone:  hall agent ${path.relative("", file)}\n`);
  if (!fs.existsSync(roster)) return;
  throw new UsageError(
    `${roster} is there already, and stays as it is; add under slots:\n${moduleSlot(`./${MODULE}`)}`,
  );
}

/** Others may read it, nobody else may write it: a roster runs programs. */
function writeNew(file: string, text: string): void {
  try {
    fs.writeFileSync(file, text, { flag: "wx", mode: 0o644 });
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw new UsageError(`${file} is there already, and stays as it is.`);
    throw error;
  }
}

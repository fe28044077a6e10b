import type { KnownAgent } from "../../src/agents/known-agent.ts";
import { knownAgents } from "../../src/agents/registry.ts";

const HEAD = `# Known agents

<!-- Written by the tests: npx vitest run test/packaging -u -->

What a slot's \`agent: ID\` can name: the agents of the ACP registry at the versions that hall pins. [Agents](agents.md) says how one is started,
and what its ways mean. Those with remarks were tried; of the others only what the registry says is known.
`;

const TAIL = `
**Ways** are what the hall does for an agent, or knows of it, unless the slot says otherwise: \`fs: off\` (it is not offered files), \`cancel_tools: on\` (a cancel
also ends its commands), "load does not work" and "resume does not work" (not tried when a session is restored, although the agent offers it). **Keys** are variables from which it
takes one; none is let through unless the slot says so (\`env_inherit\`).
`;

/** `docs/known-agents.md`, from the list of known agents. */
export const knownAgentsPage = (): string =>
  [HEAD, "| id | agent | started as | keys | ways |", "| --- | --- | --- | --- | --- |"].join("\n") +
  knownAgents.map((agent) => `\n${rowOf(agent)}`).join("") +
  `\n${TAIL}`;

function rowOf(agent: KnownAgent): string {
  const { id, title, description, keys = [] } = agent;
  const cells = [
    code(id),
    `${title}: ${description}`,
    startOf(agent),
    keys.map(code).join(", "),
    waysOf(agent),
  ];
  return `| ${cells.join(" | ")} |`;
}

function startOf({ from, args = [] }: KnownAgent): string {
  const tail = args.map((arg) => ` ${arg}`).join("");
  if (from.runner === "none") return `${code(`${from.program}${tail}`)}, [to be installed](${from.home})`;
  if (from.runner === "uvx") return code(`uvx ${from.package}==${from.version}${tail}`);
  return code(`npx ${from.package}@${from.version}${tail}`);
}

function waysOf({ ways = {} }: KnownAgent): string {
  const { fs, terminal, cancelTools, load, resume, askingMode, neverAsks, daemon, note } = ways;
  return [
    ...(fs === undefined ? [] : [code(`fs: ${fs}`)]),
    ...(terminal === undefined ? [] : [code(`terminal: ${terminal}`)]),
    ...(cancelTools ? [code("cancel_tools: on")] : []),
    ...(load === false ? ["load does not work"] : []),
    ...(resume === false ? ["resume does not work"] : []),
    ...(askingMode === undefined ? [] : [`asks in mode ${code(askingMode)}`]),
    ...(neverAsks ? ["never asks"] : []),
    ...(daemon === undefined ? [] : ["leaves a daemon, which is spared: others share it"]),
    ...(note === undefined ? [] : [note]),
  ].join("; ");
}

const code = (text: string): string => `\`${text}\``;

import type { FoundAgent } from "./found-agents.ts";

const HEAD = `# A roster: what one hall runs. hall check checks it; hall.example.yml, which comes with hall, shows every key.
# The first slot is what clients get that name none.
slots:
  # The built-in agent: it needs no key and no network.
  demo:
    demo: true
    title: Demo
`;

/** The slot of an agent that is written as code. */
export const moduleSlot = (module: string): string => `  # Your own agent, written as code.
  agent:
    module: ${module}
`;

/** A roster with the demo agent and these. Of the environment only names are written, never values. */
export const rosterText = (found: readonly FoundAgent[], env: NodeJS.ProcessEnv, module?: string): string =>
  [
    HEAD,
    ...(module === undefined ? [] : [moduleSlot(module)]),
    ...found.map((agent) => slotText(agent, env)),
  ].join("\n");

function slotText({ agent, program, fetches }: FoundAgent, env: NodeJS.ProcessEnv): string {
  const { id, title, keys = [], ways } = agent;
  const set = keys.filter((key) => env[key]);
  return [
    `  # ${program}${fetches === undefined ? "" : `, by ${fetches}, which is fetched at its first start`}.`,
    ...(ways?.note === undefined ? [] : [`  # ${ways.note}`]),
    `  ${slotName(agent)}:`,
    `    agent: ${id}`,
    `    title: ${title}`,
    ...(fetches === undefined ? [] : ["    init_timeout: 3m"]),
    ...(set.length > 0 ? [`    env_inherit: [${set.join(", ")}]`] : []),
    ...(set.length === 0 && keys.length > 0
      ? ["    # Its key, when it takes one from the environment:", `    # env_inherit: [${keys[0]}]`]
      : []),
    "",
  ].join("\n");
}

/** What people call it: the shortest of its names. */
const slotName = ({ id, aliases = [] }: FoundAgent["agent"]): string =>
  [id, ...aliases].toSorted((one, other) => one.length - other.length)[0] ?? id;

import type { FoundAgent } from "./found-agents.ts";
import { type SlotText, slotLines, slotTextOf } from "./slot-text.ts";

const HEAD = `# A roster: what one hall runs. hall check checks it; hall.example.yml, which comes with hall, shows every key.
# The first slot is what clients get that name none.
slots:`;

const DEMO: SlotText = {
  name: "demo",
  above: ["The built-in agent: it needs no key and no network."],
  keys: [
    ["demo", "true"],
    ["title", "Demo"],
  ],
  within: [],
};

/** The slot of an agent that is written as code. */
const codeSlot = (module: string): SlotText => ({
  name: "agent",
  above: ["Your own agent, written as code."],
  keys: [["module", module]],
  within: [],
});

const INDENT = "  ";

const blockOf = (slot: SlotText): string =>
  slotLines(slot, INDENT, INDENT)
    .map((line) => `${line}\n`)
    .join("");

/** The slot of a module, to be pasted under `slots`. */
export const moduleSlot = (module: string): string => blockOf(codeSlot(module));

/** A roster with the demo agent and these; whoever writes an agent wants that first. */
export function rosterText(found: readonly FoundAgent[], env: NodeJS.ProcessEnv, module?: string): string {
  const slots = [
    ...(module === undefined ? [] : [codeSlot(module)]),
    DEMO,
    ...found.map((agent) => slotTextOf(agent, env)),
  ];
  return `${HEAD}\n${slots.map(blockOf).join("\n")}`;
}

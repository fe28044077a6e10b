import { type Answer, type Block, say } from "./answer.ts";
import type { Given, PlanStep } from "./arguments.ts";
import type { Cue } from "./cue.ts";
import { amount, type Scene } from "./scene.ts";
import type { Tool } from "./tool.ts";
import { callFor, type Intent, toolFor } from "./toolbox.ts";

/** Codex asks its user only for what shall run outside its sandbox. */
const OUTSIDE: Given = { sandbox: "require_escalated", reason: "May this run outside the sandbox?" };

const PLAN: readonly PlanStep[] = [
  { text: "Look around", status: "completed" },
  { text: "Do the work", status: "in_progress" },
  { text: "Check the result", status: "pending" },
];

const MOST_ROUNDS = 20;
const LONGEST_REPORT = 400;

/** Scenes that call the agent's tools, and then say what these answered. */
export const SCENES_WITH_TOOLS: Record<string, Scene> = {
  /** `bash COMMAND`: outside the sandbox, where there is one. */
  bash: (cue, { tools }) =>
    once(cue, say("A command is needed. "), use(tools, "shell", { command: cue.argument, ...OUTSIDE })),

  /** `bash-inside COMMAND`: where the agent lets its commands run unasked, it runs unasked. */
  "bash-inside": (cue, { tools }) => once(cue, use(tools, "shell", { command: cue.argument })),

  /** `two A ;; B`: both commands in one answer. */
  two: (cue, { tools }) =>
    once(cue, ...cue.argument.split(" ;; ").map((command) => use(tools, "shell", { command, ...OUTSIDE }))),

  /** `chain N`: N commands, each after the result of the one before. */
  chain: (cue, { tools }) =>
    inRounds(cue, amount(cue, 3, MOST_ROUNDS), (round) => [
      use(tools, "shell", { command: `echo link ${round}`, ...OUTSIDE }),
    ]),

  write: (cue, { tools }) =>
    once(cue, use(tools, "write", { path: cue.argument, content: "first line\nsecond line\n" })),

  read: (cue, { tools }) => once(cue, use(tools, "read", { path: cue.argument })),

  /** `edit FILE`: reads it, where there is a tool for that, then makes the first `alpha` in it `beta`. */
  edit: (cue, { tools }) => {
    const path = cue.argument;
    const change = use(tools, "edit", { path, before: "alpha", after: "beta" });
    if (!toolFor(tools, "read")) return once(cue, change);
    return inRounds(cue, 2, (round) => [round === 0 ? use(tools, "read", { path }) : change]);
  },

  plan: (cue, { tools }) => once(cue, use(tools, "plan", { plan: PLAN })),

  /** `tool NAME {…}`: a tool by its name, with these arguments. */
  tool: (cue, { tools }) => {
    const [, name = "", json = "{}"] = /^(\S+)(?: (.+))?$/.exec(cue.argument) ?? [];
    const tool = tools.find((offered) => offered.name === name) ?? { name };
    return once(cue, { kind: "call", call: { tool, arguments: JSON.parse(json) } });
  },
};

/** The agent's own tool for an intent, called; or a sentence that says that it has none. */
function use(tools: readonly Tool[], intent: Intent, given: Given): Block {
  const tool = toolFor(tools, intent);
  if (tool) return { kind: "call", call: callFor(tool, given) };
  const offered = tools.map(({ name }) => name).join(", ");
  return say(`This agent has no tool to ${intent} with, only ${offered}.`);
}

const once = (cue: Cue, ...blocks: readonly Block[]): Answer => inRounds(cue, 1, () => blocks);

/** An answer for each round of tool calls, then a report of what the tools answered. */
function inRounds(cue: Cue, count: number, blocks: (round: number) => readonly Block[]): Answer {
  if (cue.round < count) return { blocks: blocks(cue.round) };
  return { blocks: [say(`The tools answered: ${cue.results.join(" | ").slice(0, LONGEST_REPORT)}`)] };
}

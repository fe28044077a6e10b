import { argumentsFor, type Given } from "./arguments.ts";
import { patch } from "./patch.ts";
import type { Call, Tool } from "./tool.ts";

/** What a scenario wants done, whatever the agent calls its tool for it. */
export type Intent = "shell" | "write" | "edit" | "read" | "plan";

/** The names that agents give their tools, best first. */
const NAMES: Record<Intent, readonly string[]> = {
  shell: ["Bash", "bash", "exec_command", "shell_command", "run_shell_command", "shell"],
  write: ["Write", "write", "write_file", "create", "apply_patch"],
  edit: ["Edit", "edit", "replace", "apply_patch"],
  read: ["Read", "read", "read_file", "view"],
  plan: ["TodoWrite", "todowrite", "todo_write", "update_plan", "write_todos", "TaskCreate"],
};

/** The agent's own tool for an intent, or undefined when it offers none. */
export function toolFor(tools: readonly Tool[], intent: Intent): Tool | undefined {
  for (const name of NAMES[intent]) {
    const tool = tools.find((offered) => offered.name === name);
    if (tool) return tool;
  }
  return undefined;
}

/** A call of that tool, with arguments that its schema allows. */
export function callFor(tool: Tool, given: Given): Call {
  if (tool.freeform) return { tool, input: patch(given) };
  if (tool.name === "apply_patch") return { tool, arguments: { input: patch(given) } };
  return { tool, arguments: argumentsFor(tool.schema, given) };
}

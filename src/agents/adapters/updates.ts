import type { Fields } from "../../acp/checks.ts";
import type { Step } from "./step.ts";

/** Steps that tell the client what most programs have in common. */
const chunk = (sessionUpdate: string, text: string, extra: Fields = {}): Step => ({
  update: { sessionUpdate, ...extra, content: { type: "text", text } },
});

export const message = (text: string): Step => chunk("agent_message_chunk", text);
export const thought = (text: string): Step => chunk("agent_thought_chunk", text);
export const userMessage = (content: Fields): Step => ({
  update: { sessionUpdate: "user_message_chunk", content },
});

/** A new tool call; what is undefined is left out. */
export const toolCall = (toolCallId: string, fields: Fields): Step => ({
  update: { sessionUpdate: "tool_call", toolCallId, ...given(fields) },
});
export const toolCallUpdate = (toolCallId: string, fields: Fields): Step => ({
  update: { sessionUpdate: "tool_call_update", toolCallId, ...given(fields) },
});

export interface PlanEntry {
  content: string;
  status: "pending" | "in_progress" | "completed";
  priority: "high" | "medium" | "low";
}

export const plan = (entries: readonly PlanEntry[]): Step => ({ update: { sessionUpdate: "plan", entries } });

/** How full the context is, in tokens; `cost` of the session so far. */
export const usage = (used: number, size: number, cost?: Fields): Step => ({
  update: { sessionUpdate: "usage_update", used, size, ...(cost ? { cost } : {}) },
});

export interface SlashCommand {
  name: string;
  description: string;
  hint?: string | undefined;
}

export const availableCommands = (commands: readonly SlashCommand[]): Step => ({
  update: {
    sessionUpdate: "available_commands_update",
    availableCommands: commands.map(({ name, description, hint }) => ({
      name,
      description,
      ...(hint ? { input: { hint } } : {}),
    })),
  },
});

export const currentMode = (currentModeId: string): Step => ({
  update: { sessionUpdate: "current_mode_update", currentModeId },
});

export const configOptions = (options: readonly Fields[]): Step => ({
  update: { sessionUpdate: "config_option_update", configOptions: options },
});

/** What a program tells that has no place of its own in ACP: under its name in `_meta`. */
export const note = (program: string, what: Fields): Step => ({
  update: { sessionUpdate: "session_info_update", _meta: { [program]: what } },
});

export const textContent = (text: string): Fields => ({ type: "content", content: { type: "text", text } });

const given = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** `acp-hall/agent`: an agent is a function of a turn. */
import type { AgentDefinition } from "./agent-definition.ts";

export type { AgentDefinition } from "./agent-definition.ts";
export type {
  ContentBlock,
  MediaBlock,
  Resource,
  ResourceBlock,
  ResourceLinkBlock,
  TextBlock,
} from "./content-block.ts";
export type { ClientAbilities, Session } from "./session.ts";
export type {
  McpResult,
  McpTool,
  Option,
  PlanEntry,
  Question,
  SessionUpdate,
  StopReason,
  Terminal,
  TerminalExit,
  TerminalOptions,
  TerminalOutput,
  Tool,
  ToolCall,
  ToolKind,
  Turn,
} from "./turn.ts";

/** An agent that a hall, or `hall agent FILE`, runs: a module's default export. */
export const defineAgent = (definition: AgentDefinition): AgentDefinition => definition;

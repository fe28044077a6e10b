/** ACP's tool kinds (schema: ToolKind). */
export const TOOL_KINDS = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
] as const;

export type ToolKind = (typeof TOOL_KINDS)[number];

export const isToolKind = (name: unknown): name is ToolKind => TOOL_KINDS.some((kind) => kind === name);

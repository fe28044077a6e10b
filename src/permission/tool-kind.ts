import type { ToolKind } from "../acp/tool-kinds.ts";

/** What the tools of Claude Code and of those who took its names do. A tool that is not named here is `other`. */
const KIND_OF_TOOL: ReadonlyMap<string, ToolKind> = new Map(
  Object.entries<ToolKind>({
    Bash: "execute",
    BashOutput: "read",
    KillShell: "execute",
    Read: "read",
    NotebookRead: "read",
    LS: "search",
    Glob: "search",
    Grep: "search",
    WebSearch: "fetch",
    WebFetch: "fetch",
    Edit: "edit",
    MultiEdit: "edit",
    Write: "edit",
    NotebookEdit: "edit",
    TodoWrite: "think",
    Task: "think",
    Agent: "think",
    ExitPlanMode: "switch_mode",
  }),
);

/** The kind of a hook's tool, which says only its name. */
export const kindOfTool = (tool: string): ToolKind => KIND_OF_TOOL.get(tool) ?? "other";

import type { ContentBlock } from "./content-block.ts";
import type { Session } from "./session.ts";

/** How a turn ended, in ACP's words. */
export type StopReason = (typeof STOP_REASONS)[number];

export const STOP_REASONS = ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"] as const;

/**
 * One prompt, and what an agent can do about it. What is sent after the turn has ended is dropped. Whatever waits for
 * the client (`ask`, `readFile`, …) rejects with the signal's reason when the turn is cancelled.
 */
export interface Turn {
  /** The prompt, as it came. */
  readonly blocks: readonly ContentBlock[];
  /** The prompt as one text: links as `[name](uri)`, embedded files as their text, images and audio left out. */
  readonly text: string;
  readonly session: Session;
  /** Aborts when the turn is cancelled. */
  readonly signal: AbortSignal;
  /** Speaks: a text, or a content block. Resolves when there is room for more; nobody has to wait for that. */
  say(what: string | ContentBlock): Promise<void>;
  /** The same for what the agent thinks. */
  think(what: string | ContentBlock): Promise<void>;
  /** Shows a plan, in place of the one before. A bare text is an entry that is pending. */
  plan(entries: readonly (string | PlanEntry)[]): Promise<void>;
  /** Shows that a tool is used. One that is open at the end of the turn counts as failed. */
  tool(tool: Tool): ToolCall;
  /**
   * Asks the person. Answers the id of the option that was chosen, or null when it was refused: an option of a
   * `reject…` kind, no answer, an answer that was not offered.
   */
  ask(question: Question): Promise<string | null>;
  /** As `ask`, but answers the option, also one that refuses; null when none that was offered was chosen. */
  choose(question: Question): Promise<Option | null>;
  /** Reads a text file through the client, as the person sees it (unsaved changes too). Relative to the session's folder. */
  readFile(path: string, part?: { line?: number; limit?: number }): Promise<string>;
  writeFile(path: string, text: string): Promise<void>;
  /** Runs a command where the client is. */
  terminal(command: string, options?: TerminalOptions): Promise<Terminal>;
  /** The tools of the session's MCP servers. A server that cannot be reached is shown to the person, and left out. */
  mcpTools(): Promise<readonly McpTool[]>;
  /** Sends any ACP session update. */
  update(update: SessionUpdate): Promise<void>;
}

/** ACP's session updates: `sessionUpdate` says which. */
export type SessionUpdate = { sessionUpdate: string } & Record<string, unknown>;

export interface PlanEntry {
  content: string;
  priority?: "high" | "medium" | "low";
  status?: "pending" | "in_progress" | "completed";
}

export type ToolKind =
  | "read"
  | "edit"
  | "delete"
  | "move"
  | "search"
  | "execute"
  | "think"
  | "fetch"
  | "switch_mode"
  | "other";

export interface Tool {
  title: string;
  kind?: ToolKind;
  /** What it is called with. */
  input?: unknown;
  /** Files that it touches; absolute paths. */
  locations?: readonly { path: string; line?: number }[];
  /** Its id in the client; without it, one is made. */
  id?: string;
  _meta?: Record<string, unknown>;
}

export interface ToolCall {
  readonly id: string;
  /** It is over: completed, or failed. */
  readonly isOver: boolean;
  /** It runs now. */
  runs(): void;
  /** Changes any fields of ACP's tool call. */
  update(fields: Record<string, unknown>): void;
  /** It is completed. A text is also shown as its content. */
  done(output?: unknown): void;
  failed(why: string): void;
}

export interface Option {
  optionId: string;
  name: string;
  kind: "allow_once" | "allow_always" | "reject_once" | "reject_always";
}

export interface Question {
  title: string;
  kind?: ToolKind;
  input?: unknown;
  /** Without: `allow` and `reject`. */
  options?: readonly Option[];
  /** The tool call that it is about; without it the question is one of its own. */
  call?: ToolCall;
  _meta?: Record<string, unknown>;
}

export interface TerminalOptions {
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Without it, the session's folder. */
  cwd?: string;
  /** Bytes of output that are kept, the last ones. */
  outputByteLimit?: number;
}

export interface Terminal {
  readonly id: string;
  output(): Promise<TerminalOutput>;
  /** Resolves when the command has ended. */
  exited(): Promise<TerminalExit>;
  kill(): Promise<void>;
  /** Ends what still runs, and lets go of the output. */
  release(): Promise<void>;
}

export interface TerminalExit {
  exitCode: number | null;
  signal: string | null;
}

export interface TerminalOutput {
  output: string;
  truncated: boolean;
  /** Undefined while the command runs. */
  exit: TerminalExit | undefined;
}

/** A tool of an MCP server. */
export interface McpTool {
  /** `server__tool`, in letters that models take: no two of a session have the same. */
  readonly name: string;
  readonly server: string;
  readonly description: string | undefined;
  /** JSON Schema of its input. */
  readonly inputSchema: Record<string, unknown>;
  /** It says that it changes nothing. */
  readonly isReadOnly: boolean;
  /** Calls it. Rejects when the tool says that it failed, and when its server is gone. */
  call(input: Record<string, unknown>, signal?: AbortSignal): Promise<McpResult>;
}

export interface McpResult {
  /** ACP's content blocks: MCP has the same. */
  content: readonly ContentBlock[];
  /** Its texts, one a line. */
  text: string;
  structured: Record<string, unknown> | undefined;
}

/** One conversation, as an agent sees it. */
export interface Session {
  readonly id: string;
  /** The folder that it works in; absolute. */
  readonly cwd: string;
  /** Other folders that it may work in; absolute. */
  readonly additionalDirectories: readonly string[];
  /** The MCP servers that the client gave it, as ACP writes them. `turn.mcpTools()` connects them. */
  readonly mcpServers: readonly Record<string, unknown>[];
  /** What the client that looks at it can do for the agent. */
  readonly client: ClientAbilities;
  /** What `remember` kept last; undefined when there is nothing. */
  recall(): unknown;
  /**
   * Keeps a value (anything that JSON holds) with the session, in place of the one before; undefined forgets that. In a hall, and by
   * `hall agent --state`, it outlives the process; a session that remembers something is resumed, not told again.
   */
  remember(value: unknown): void;
}

export interface ClientAbilities {
  readonly readFile: boolean;
  readonly writeFile: boolean;
  readonly terminal: boolean;
}

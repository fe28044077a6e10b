import { fileOf, type Pinned } from "../install.ts";

/** Claude Code's own command line. Its program is a native one, in a package of its own for each system. */
export const CLAUDE_CLI: Pinned = { name: "@anthropic-ai/claude-code", version: "2.1.332" };

export const claudeProgram = (): string =>
  fileOf(CLAUDE_CLI, "..", `claude-code-${process.platform}-${process.arch}`, "claude");

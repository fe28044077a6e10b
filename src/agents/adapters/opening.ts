import type { Fields } from "../../acp/checks.ts";

/** How a session comes to be, or to life again. */
export interface Opening {
  how: "new" | "load" | "resume" | "fork";
  /** The ACP session id: for `load` and `resume` as the client has it, else a new UUID. */
  id: string;
  /** The session that a fork is made of. */
  from?: string;
  /** Absolute. */
  cwd: string;
  /** Absolute. */
  additionalDirectories: readonly string[];
  /** As ACP writes them. */
  mcpServers: readonly Fields[];
  /** What the program was last said to call this session, when that is not `id` (a `remember` step). */
  remembered?: string;
}

/** Unstable in ACP: a new session that begins as a copy of another. */
export const FORK_SESSION = "session/fork";

import { ClaudePrint } from "./claude-print.ts";
import { CodexExec } from "./codex-exec.ts";
import type { Output } from "./output.ts";

/** A well-known program that runs one turn and ends. */
export interface Preset {
  readonly command: readonly string[];
  /** Arguments of a session's first run, and of those that follow. */
  readonly first: readonly string[];
  readonly resume: readonly string[];
  readonly environment: Record<string, string>;
  /** @param run the number of the run in its session, from 1 */
  output(run: number): Output;
}

const CLAUDE_OUTPUT = ["-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"];

export const presets: Readonly<Record<"claude-print" | "codex-exec", Preset>> = {
  "claude-print": {
    command: ["claude"],
    first: [...CLAUDE_OUTPUT, "--session-id", "{session}"],
    resume: [...CLAUDE_OUTPUT, "--resume", "{session}"],
    environment: {},
    output: () => new ClaudePrint(),
  },
  // It can ask nobody: with any other policy it would wait for a terminal.
  "codex-exec": {
    command: ["codex"],
    first: [
      "exec",
      "--json",
      "--skip-git-repo-check",
      "-C",
      "{cwd}",
      "-s",
      "workspace-write",
      "-c",
      'approval_policy="never"',
      "-",
    ],
    resume: [
      "exec",
      "resume",
      "--json",
      "--skip-git-repo-check",
      "-c",
      'sandbox_mode="workspace-write"',
      "-c",
      'approval_policy="never"',
      "{session}",
      "-",
    ],
    environment: {},
    output: (run) => new CodexExec(run),
  },
};

export const presetOf = (name: string | undefined): Preset | undefined =>
  name === "claude-print" || name === "codex-exec" ? presets[name] : undefined;

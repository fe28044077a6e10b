import { existsSync } from "node:fs";
import path from "node:path";
import type { SlotRun } from "../../hall/roster.ts";

/** Where an agent keeps its login, and what it takes instead. */
interface Credentials {
  /** Any of these, in the child's environment, is a key. */
  keys: readonly string[];
  /** Any of these files is a login; relative to HOME, or to the folder that the variable names. */
  files: readonly { in?: string; file: string }[];
}

const CLAUDE: Credentials = {
  keys: [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
  ],
  files: [{ in: "CLAUDE_CONFIG_DIR", file: ".credentials.json" }, { file: ".claude/.credentials.json" }],
};
const CODEX: Credentials = {
  keys: ["OPENAI_API_KEY", "CODEX_API_KEY"],
  files: [
    { in: "CODEX_HOME", file: "auth.json" },
    // Another provider, with a key of its own, is set up here.
    { in: "CODEX_HOME", file: "config.toml" },
    { file: ".codex/auth.json" },
    { file: ".codex/config.toml" },
  ],
};
const GEMINI: Credentials = {
  keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  files: [{ file: ".gemini/oauth_creds.json" }],
};

/** Only of agents that have nothing else: no keychain, no gateway. By known id, or by adapter. */
const KNOWN: ReadonlyMap<string, Credentials> = new Map([
  ["claude-acp", CLAUDE],
  ["claude-code", CLAUDE],
  ["codex-acp", CODEX],
  ["codex", CODEX],
  ["gemini", GEMINI],
]);

export interface LoginPlace {
  run: SlotRun;
  /** The agent's. */
  environment: Readonly<Record<string, string | undefined>>;
  platform?: NodeJS.Platform;
}

/** Whether the agent has a key or a login here, as far as that can be told without starting it; undefined: it cannot. */
export function isLoggedIn({
  run,
  environment,
  platform = process.platform,
}: LoginPlace): boolean | undefined {
  // Elsewhere logins are in the system's keychain.
  if (platform !== "linux") return undefined;
  const name = run.kind === "agent" ? run.id : run.kind === "adapter" ? run.adapter : undefined;
  const known = name === undefined ? undefined : KNOWN.get(name);
  if (!known) return undefined;
  if (known.keys.some((key) => environment[key])) return true;
  return known.files.some(({ in: variable, file }) => {
    const folder = environment[variable ?? "HOME"];
    return folder !== undefined && existsSync(path.join(folder, file));
  });
}

/** The variables that such an agent takes a key from; empty where none is known. */
export const keysOf = (run: SlotRun): readonly string[] => {
  const name = run.kind === "agent" ? run.id : run.kind === "adapter" ? run.adapter : "";
  return KNOWN.get(name)?.keys ?? [];
};

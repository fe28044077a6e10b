import type { Opening } from "../opening.ts";

/** What makes Claude Code speak its protocol, ask by it, and open this session. */
export function childArguments({ how, id, from, additionalDirectories }: Opening): string[] {
  return [
    "-p",
    "--output-format",
    "stream-json",
    "--input-format",
    "stream-json",
    "--verbose",
    "--include-partial-messages",
    "--replay-user-messages",
    "--permission-prompt-tool",
    "stdio",
    "--permission-mode",
    "default",
    // It asks a person by a form that ACP's questions cannot show.
    "--disallowedTools",
    "AskUserQuestion",
    ...additionalDirectories.flatMap((directory) => ["--add-dir", directory]),
    ...session(how, id, from),
  ];
}

function session(how: Opening["how"], id: string, from: string | undefined): string[] {
  if (how === "new") return ["--session-id", id];
  if (how === "fork") return ["--resume", from ?? id, "--fork-session", "--session-id", id];
  return ["--resume", id];
}

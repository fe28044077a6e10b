import { type Command, Option } from "commander";

/** What several commands take. */
export const CONNECT = new Option(
  "--connect <address>",
  "the hall, unix:PATH, or tcp, tls, ws or wss://HOST:PORT (default: $HALL_CONNECT, else the one of yours that runs)",
);
export const TOKEN_FILE = new Option(
  "--token-file <file>",
  "the token to show at --connect (default: $HALL_TOKEN)",
);
export const CONFIG = new Option("--config <file>", "the hall of this roster");

/** How each command that talks to a hall is told which, and who asks. */
export const forHall = (command: Command): Command =>
  command.addOption(CONNECT).addOption(TOKEN_FILE).addOption(CONFIG);

export const SLOT = new Option("--slot <slot>", "the slot (default: the first of the roster)");
export const JSON_OUTPUT = new Option("--json", "print one JSON document");

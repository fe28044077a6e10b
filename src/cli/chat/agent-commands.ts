import { type Fields, isFields, optionalString } from "../../acp/checks.ts";
import { kindOf } from "../../acp/updates.ts";

/** A slash command of the agent's. */
export interface AgentCommand {
  readonly name: string;
  readonly description: string;
  /** What it takes, for people; an empty string: nothing. */
  readonly hint: string;
}

/** The commands that an update tells; undefined: it is about something else. */
export function commandsIn(update: Fields): AgentCommand[] | undefined {
  if (kindOf(update) !== "available_commands_update") return undefined;
  const { availableCommands: told } = update;
  return (Array.isArray(told) ? told.filter(isFields) : []).flatMap((command) => {
    const name = optionalString(command, "name");
    if (name === undefined) return [];
    const hint = isFields(command.input) ? (optionalString(command.input, "hint") ?? "") : "";
    return [{ name, description: optionalString(command, "description") ?? "", hint }];
  });
}

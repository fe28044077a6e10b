import type { Fields } from "../../../acp/checks.ts";
import type { Id } from "../../../wire/message.ts";
import { wrongParams } from "../failure.ts";
import { wordsOf } from "../native-line.ts";
import type { Step } from "../step.ts";
import { availableCommands, configOptions, currentMode } from "../updates.ts";
import { control } from "./control.ts";
import { commandsIn } from "./offers.ts";
import type { ClaudeSession } from "./session.ts";

/** What a `system` line tells of the session's state. */
export function stateTold(state: ClaudeSession, event: Fields): Step[] {
  const { offers } = state;
  if (event.subtype === "commands_changed") {
    offers.commands = commandsIn(event.commands);
    return [availableCommands(offers.commands)];
  }
  if (event.subtype === "init" && state.prompt === undefined) state.ownTurn = true;
  if (event.subtype !== "init" && event.subtype !== "status") return [];
  const mode = wordsOf(event, "permissionMode");
  if (mode === undefined || mode === offers.mode) return [];
  offers.mode = mode;
  return [currentMode(mode)];
}

export function setMode(state: ClaudeSession, id: Id, mode: unknown): Step[] {
  const { offers } = state;
  if (typeof mode !== "string" || !offers.hasMode(mode)) {
    return [
      { fail: id, error: wrongParams(`There is no mode ${JSON.stringify(mode)}.`, { modes: offers.modes }) },
    ];
  }
  const set = control(state, { subtype: "set_permission_mode", mode }, (_, error) => {
    if (error !== undefined) return [{ fail: id, error: wrongParams(error) }];
    const changed = offers.mode !== mode;
    offers.mode = mode;
    return [...(changed ? [currentMode(mode)] : []), { reply: id, result: {} }];
  });
  return [set];
}

export function setOption(state: ClaudeSession, id: Id, option: string, value: unknown): Step[] {
  const { offers } = state;
  if (typeof value !== "string" || !offers.offers(option, value)) {
    const what = `There is no option ${JSON.stringify(option)} with the value ${JSON.stringify(value)}.`;
    return [{ fail: id, error: wrongParams(what, { configOptions: offers.options }) }];
  }
  const request =
    option === "model"
      ? { subtype: "set_model", model: value }
      : { subtype: "apply_flag_settings", settings: { effortLevel: value === "default" ? null : value } };
  const set = control(state, request, (_, error) => {
    if (error !== undefined) return [{ fail: id, error: wrongParams(error) }];
    if (option === "model") offers.model = value;
    else offers.effort = value;
    return [configOptions(offers.options), { reply: id, result: { configOptions: offers.options } }];
  });
  return [set];
}

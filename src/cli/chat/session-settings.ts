import { type Fields, isFields, optionalString } from "../../acp/checks.ts";
import { AgentMethod } from "../../acp/methods.ts";
import { kindOf } from "../../acp/updates.ts";

/** Something of a session that can be chosen: its mode, or one of the agent's options. */
export interface Setting {
  readonly id: string;
  readonly name: string;
  readonly current: string;
  readonly choices: readonly SettingChoice[];
  /** ACP's way to choose: a mode, a select, or a switch. */
  readonly way: "mode" | "select" | "boolean";
}

export interface SettingChoice {
  readonly value: string;
  readonly name: string;
  readonly description: string;
}

/** The hall's own menu; a chat has a command for that. */
const SLOT_OPTION = "hall.slot";

/** What can be chosen in a session, and what is in force there, after all that its agent said of it. */
export class SessionSettings {
  #modes: Fields | undefined;
  #options: readonly Fields[] = [];

  /** The answer to a new session, to a load, or to a choice of an option. */
  take({ modes, configOptions }: Fields): void {
    if (isFields(modes)) this.#modes = modes;
    if (Array.isArray(configOptions)) this.#options = configOptions.filter(isFields);
  }

  see(update: Fields): void {
    const kind = kindOf(update);
    if (kind === "config_option_update") this.take(update);
    else if (kind === "current_mode_update") this.chose(update.currentModeId);
  }

  /** A mode is in force now. */
  chose(currentModeId: unknown): void {
    if (this.#modes) this.#modes = { ...this.#modes, currentModeId };
  }

  get all(): Setting[] {
    const options = this.#options.flatMap(optionOf);
    // An agent that has its modes among its options tells them twice, for older clients.
    const isTwice = this.#options.some(({ category }) => category === "mode");
    return isTwice || !this.#modes ? options : [...modeOf(this.#modes), ...options];
  }
}

/** The request that makes a choice, but for the session. */
export function requestFor(
  { id, way }: Setting,
  { value }: SettingChoice,
): { method: string; params: Fields } {
  if (way === "mode") return { method: AgentMethod.setMode, params: { modeId: value } };
  const chosen = way === "boolean" ? { type: way, value: value === "on" } : { value };
  return { method: AgentMethod.setConfigOption, params: { configId: id, ...chosen } };
}

/** What the words mean: a choice's name, behind its setting's where several have it; else a sentence of why not. */
export function chosen(settings: readonly Setting[], words: string): [Setting, SettingChoice] | string {
  const pairs = settings.flatMap((setting) =>
    setting.choices.map((choice): [Setting, SettingChoice] => [setting, choice]),
  );
  const said = words.toLowerCase();
  const isMeant = ([{ id, name }, choice]: [Setting, SettingChoice]): boolean =>
    [choice.value, choice.name].some((own) =>
      [own, `${id} ${own}`, `${name} ${own}`].some((spelled) => spelled.toLowerCase() === said),
    );
  const [only, ...others] = pairs.filter(isMeant);
  if (!only) return `There is no "${words}" to choose; /mode lists what there is.`;
  if (others.length === 0) return only;
  const ways = [only, ...others].map(([{ id }, { value }]) => `/mode ${id} ${value}`);
  return `Several have "${words}"; say which: ${ways.join(", ")}.`;
}

function modeOf({ currentModeId, availableModes }: Fields): Setting[] {
  const choices = listOf(availableModes).flatMap((mode) => choiceOf(mode, "id"));
  if (choices.length === 0) return [];
  return [{ id: "mode", name: "Mode", current: String(currentModeId), choices, way: "mode" }];
}

function optionOf({ id, name, type, currentValue, options }: Fields): Setting[] {
  if (typeof id !== "string" || id === SLOT_OPTION) return [];
  const named = { id, name: typeof name === "string" ? name : id };
  if (type === "boolean") {
    const choices = ["on", "off"].map((value) => ({ value, name: value, description: "" }));
    return [{ ...named, current: currentValue === true ? "on" : "off", choices, way: "boolean" }];
  }
  const choices = listOf(options)
    .flatMap((entry) => (Array.isArray(entry.options) ? listOf(entry.options) : [entry]))
    .flatMap((entry) => choiceOf(entry, "value"));
  return [{ ...named, current: String(currentValue), choices, way: "select" }];
}

function choiceOf(entry: Fields, key: string): SettingChoice[] {
  const value = optionalString(entry, key);
  if (value === undefined) return [];
  const name = optionalString(entry, "name") ?? value;
  return [{ value, name, description: optionalString(entry, "description") ?? "" }];
}

const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);

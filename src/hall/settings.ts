import { type Fields, isFields } from "../acp/checks.ts";

/** The hall's own entry in an agent's option menu: which slot a session runs in. */
export const SLOT_OPTION = "hall.slot";

/** What had been chosen in a session, to be chosen again when it gets another agent session. */
export interface InForce {
  mode: string | undefined;
  options: { configId: string; value: string | boolean }[];
}

/**
 * The modes and config options of a session: what its agent offers, and what is in force as last confirmed,
 * by an answer or by an update. Lists are kept as the agent gave them; only what is looked for is checked.
 */
export class Settings {
  modes: Fields | undefined;
  configOptions: Fields[] | undefined;

  static of(modes: unknown, configOptions: unknown): Settings {
    const settings = new Settings();
    settings.take(modes, configOptions);
    return settings;
  }

  /** What a result carries; absent means that the agent has none. */
  take(modes: unknown, configOptions: unknown): void {
    this.modes = isFields(modes) ? modes : undefined;
    this.takeOptions(configOptions);
  }

  takeOptions(configOptions: unknown): void {
    this.configOptions = Array.isArray(configOptions) ? configOptions.filter(isFields) : undefined;
  }

  /** The mode is another now. True if that is news. */
  enterMode(modeId: unknown): boolean {
    if (typeof modeId !== "string" || !this.modes || this.modes.currentModeId === modeId) return false;
    this.modes = { ...this.modes, currentModeId: modeId };
    return true;
  }

  get inForce(): InForce {
    const mode = this.modes?.currentModeId;
    return {
      mode: typeof mode === "string" ? mode : undefined,
      options: (this.configOptions ?? []).flatMap(({ id, currentValue }) => {
        const chosen = typeof currentValue === "string" || typeof currentValue === "boolean";
        return typeof id === "string" && id !== SLOT_OPTION && chosen
          ? [{ configId: id, value: currentValue }]
          : [];
      }),
    };
  }

  valueOf(configId: string): unknown {
    return this.configOptions?.find((option) => option.id === configId)?.currentValue;
  }

  offersMode(modeId: string): boolean {
    const available = this.modes?.availableModes;
    return (
      Array.isArray(available) && available.some((mode: unknown) => isFields(mode) && mode.id === modeId)
    );
  }

  offersOption(configId: string): boolean {
    return this.configOptions?.some((option) => option.id === configId) ?? false;
  }
}

/** What the slot menu shows. */
export interface SlotChoice {
  name: string;
  title: string;
  description?: string;
}

/** The menu that picks a session's slot, as an ACP config option. */
export function slotOption(current: string, choices: readonly SlotChoice[]): Fields {
  return {
    id: SLOT_OPTION,
    name: "Agent",
    description: "The slot of the hall that this session runs in; it can be changed until the first prompt.",
    category: "other",
    type: "select",
    currentValue: current,
    options: choices.map(({ name, title, description }) => ({
      value: name,
      name: title,
      ...(description === undefined ? {} : { description }),
    })),
  };
}

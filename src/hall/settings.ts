import { type Fields, isFields } from "../acp/checks.ts";
import { SLOT_OPTION } from "./slot-menu.ts";

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
    // A hall behind this one has a menu of its own slots; which of them is meant is the roster's to say.
    this.configOptions = Array.isArray(configOptions)
      ? configOptions.filter(isFields).filter(({ id }) => id !== SLOT_OPTION)
      : undefined;
  }

  /** An update of the agent's, which may tell of them. */
  see(kind: string, update: Fields): void {
    if (kind === "current_mode_update") this.enterMode(update.currentModeId);
    else if (kind === "config_option_update") this.takeOptions(update.configOptions);
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

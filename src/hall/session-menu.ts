import { isDeepStrictEqual } from "node:util";
import { type Fields, isFields } from "../acp/checks.ts";
import { HallKey } from "../acp/extensions.ts";
import { splice } from "../wire/splice.ts";
import type { Backing } from "./backing.ts";
import type { InForce } from "./settings.ts";
import { type SlotChoice, withSlotMenu } from "./slot-menu.ts";
import type { Stream } from "./stream.ts";

export interface SessionMenuParts {
  backing: Backing;
  stream: Stream;
  /** The slots that may be chosen. */
  choices(): readonly SlotChoice[];
  /** The slot stays as it is: a turn was accepted. */
  slotStays(): boolean;
}

/** What a session's clients can choose: the agent's modes and options, its commands, and the slot that it runs in. */
export class SessionMenu {
  readonly #parts: SessionMenuParts;
  /** The agent of now has told its commands. */
  #commandsTold = false;

  constructor(parts: SessionMenuParts) {
    this.#parts = parts;
  }

  /** Modes and options as results carry them: what is in force, with the hall's own menu. */
  get inForce(): Fields {
    const { modes } = this.#parts.backing.settings;
    const configOptions = this.#optionsInForce;
    return { ...(modes ? { modes } : {}), ...(configOptions ? { configOptions } : {}) };
  }

  /** As clients see them, with the hall's own menu. */
  get options(): readonly Fields[] {
    return this.#optionsInForce ?? [];
  }

  /** The agent of now tells its commands. */
  commandsTold(): void {
    this.#commandsTold = true;
  }

  /** Another agent session takes over, and has told none yet. */
  forgetCommands(): void {
    this.#commandsTold = false;
  }

  /** An option list that passes gets the hall's own menu; all else in its line stays as it came. */
  withSlots({ configOptions }: Fields, line: Buffer): Buffer {
    const options = Array.isArray(configOptions) ? configOptions.filter(isFields) : [];
    const menu = this.#withSlots(options);
    if (menu === options) return line;
    return splice(line, [{ path: ["params", "update", "configOptions"], json: JSON.stringify(menu) }]);
  }

  /** What can be chosen is another. */
  tellOptions(): void {
    this.#parts.stream.tell({ sessionUpdate: "config_option_update", configOptions: this.options });
  }

  /** The session is in another slot: no command of the one before can be called any more. */
  announceSlot(): void {
    const { stream } = this.#parts;
    this.tellOptions();
    if (!this.#commandsTold)
      stream.tell({ sessionUpdate: "available_commands_update", availableCommands: [] });
  }

  /** People should see it, and that a fresh agent may be in another mode than the one before it. */
  tellMemoryLost(way: "transcript" | "fresh"): void {
    const { backing, stream } = this.#parts;
    stream.tell({ sessionUpdate: "session_info_update", _meta: { [HallKey.bound]: way } });
    const { mode } = backing.settings.inForce;
    if (way === "fresh" && mode !== undefined)
      stream.tell({ sessionUpdate: "current_mode_update", currentModeId: mode });
  }

  /** What is in force now and was not `before`. */
  tellChoices(before: InForce): void {
    const { backing, stream } = this.#parts;
    const { mode, options } = backing.settings.inForce;
    if (mode !== undefined && mode !== before.mode)
      stream.tell({ sessionUpdate: "current_mode_update", currentModeId: mode });
    if (!isDeepStrictEqual(options, before.options))
      stream.tell({ sessionUpdate: "config_option_update", configOptions: this.options });
  }

  get #optionsInForce(): readonly Fields[] | undefined {
    return this.#withSlots(this.#parts.backing.settings.configOptions);
  }

  #withSlots(options: readonly Fields[] | undefined): readonly Fields[] | undefined {
    const { backing, choices, slotStays } = this.#parts;
    const { name, title } = backing.slot.config;
    return withSlotMenu(options, choices(), { name, title }, slotStays());
  }
}

import type { Fields } from "../acp/checks.ts";

/** What the slot menu shows. */
export interface SlotChoice {
  name: string;
  title: string;
  description?: string;
}

/** The hall's own entry in an agent's option menu: which slot a session runs in. */
export const SLOT_OPTION = "hall.slot";

/**
 * An agent's config options with the hall's own in front, so that an editor's menu picks the agent. With a single
 * slot there is nothing to pick; once a turn was accepted the slot stays. One that the roster no longer has is shown
 * where it is the current one, since a menu has to show what is chosen. An entry of that name that an agent has (it may
 * be a hall itself) gives way.
 */
export function withSlotMenu(
  options: readonly Fields[] | undefined,
  choices: readonly SlotChoice[],
  current: SlotChoice,
  stays: boolean,
): readonly Fields[] | undefined {
  const own = options?.some(({ id }) => id === SLOT_OPTION)
    ? options.filter(({ id }) => id !== SLOT_OPTION)
    : options;
  const listed = choices.find(({ name }) => name === current.name);
  const all = listed ? choices : [...choices, current];
  if (all.length < 2) return own;
  return [slotOption(current.name, stays ? [listed ?? current] : all), ...(own ?? [])];
}

function slotOption(current: string, choices: readonly SlotChoice[]): Fields {
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

import { type Fields, isFields, metaOf, optionalString } from "../../acp/checks.ts";
import { HallKey } from "../../acp/extensions.ts";
import { listIn } from "../ask-hall.ts";
import { columns } from "../columns.ts";
import type { Paint } from "../paint.ts";
import { printable } from "../printable.ts";

export interface SlotChoice {
  readonly name: string;
  readonly title: string;
  readonly description: string;
}

/** The slots that we may use, as a hall says them in its answer to `initialize`; the first is the default. */
export function slotsIn({ agentCapabilities }: Fields): SlotChoice[] {
  const meta = isFields(agentCapabilities) ? metaOf(agentCapabilities) : {};
  return listIn(meta, HallKey.slots).map((slot) => ({
    name: String(slot.name),
    title: optionalString(slot, "title") ?? "",
    description: optionalString(slot, "description") ?? "",
  }));
}

/** The list, for people. */
export function slotLines(
  slots: readonly SlotChoice[],
  current: string | undefined,
  { bold, dim }: Paint,
): string[] {
  const lines = columns(
    slots.map(({ name, title, description }, at) => [
      String(at + 1).padStart(3),
      name + (name === current ? " (now)" : ""),
      printable(description || title).replaceAll("\n", " "),
    ]),
  );
  return [bold("Slots"), ...lines, dim("Type a number for a new session there; Enter stays here.")];
}

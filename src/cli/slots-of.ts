import { type Fields, isFields } from "../acp/checks.ts";
import { HallKey } from "../acp/extensions.ts";

export interface SlotLine {
  name: string;
  title: string;
  description?: string;
}

/** The slots that a hall named in its `initialize`; the first is the default. Another agent names none. */
export function slotsOf(introduction: Fields): SlotLine[] {
  const capabilities = isFields(introduction.agentCapabilities) ? introduction.agentCapabilities : {};
  const meta = isFields(capabilities._meta) ? capabilities._meta : {};
  const { [HallKey.slots]: named } = meta;
  const slots: unknown[] = Array.isArray(named) ? named : [];
  return slots.filter(isFields).map(({ name, title, description }) => ({
    name: String(name),
    title: String(title ?? name),
    ...(typeof description === "string" ? { description } : {}),
  }));
}

import { type Fields, isFields } from "../acp/checks.ts";

export interface SlotLine {
  name: string;
  title: string;
  description?: string;
}

/** The slots that a hall named in its `initialize`; the first is the default. Another agent names none. */
export function slotsOf(introduction: Fields): SlotLine[] {
  const capabilities = isFields(introduction.agentCapabilities) ? introduction.agentCapabilities : {};
  const meta = isFields(capabilities._meta) ? capabilities._meta : {};
  const slots = Array.isArray(meta["hall/slots"]) ? meta["hall/slots"] : [];
  return slots.filter(isFields).map(({ name, title, description }) => ({
    name: String(name),
    title: String(title ?? name),
    ...(typeof description === "string" ? { description } : {}),
  }));
}

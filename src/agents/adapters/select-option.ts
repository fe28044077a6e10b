import type { Fields } from "../../acp/checks.ts";

/** A config option of which one value is chosen (ACP: SessionConfigSelect). */
export const selectOption = (
  id: string,
  name: string,
  category: string,
  currentValue: string,
  options: Fields[],
): Fields => ({ id, name, category, type: "select", currentValue, options });

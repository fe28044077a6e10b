import { type Fields, isFields } from "../acp/checks.ts";
import { type Option, optionsOf } from "../permission/question.ts";

/** An answer that a permission question offers. */
export interface Choice extends Option {
  /** For people. */
  name: string;
  /** The key that stands for it; an empty string: its number alone does. */
  key: string;
}

/** A key for the first option of each kind. */
const KEYS: ReadonlyMap<string, string> = new Map([
  ["allow_once", "y"],
  ["allow_always", "a"],
  ["reject_once", "n"],
  ["reject_always", "d"],
]);

/** What a `session/request_permission` offers, in its order. */
export function choicesOf(params: Fields): Choice[] {
  const names = new Map<unknown, string>();
  for (const option of Array.isArray(params.options) ? params.options : []) {
    if (isFields(option) && typeof option.name === "string") names.set(option.optionId, option.name);
  }
  const taken = new Set<string>();
  return optionsOf(params).map((option) => {
    const key = KEYS.get(option.kind) ?? "";
    const isFree = !taken.has(key);
    taken.add(key);
    return { ...option, name: names.get(option.optionId) ?? option.optionId, key: isFree ? key : "" };
  });
}

export const isRefusal = ({ kind }: Choice): boolean => kind.startsWith("reject");

import { anyShape, leaf, Refusal } from "./leaf.ts";

const ON = ["true", "on", "yes"];
const OFF = ["false", "off", "no"];

/** What a switch says, in any of its words; undefined if it is none. A variable gives `true` as text. */
export function readSwitch(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (typeof value !== "string") return undefined;
  if (ON.includes(value)) return true;
  return OFF.includes(value) ? false : undefined;
}

/** Every way to write a switch that stands as `position`. */
export const switchWords = (position: boolean): (string | boolean)[] => [position, ...(position ? ON : OFF)];

export const toggle = () =>
  leaf(
    (value) =>
      readSwitch(value) ?? new Refusal("is neither on nor off", "write on or off (or true, false, yes, no)"),
    anyShape({ enum: [...switchWords(true), ...switchWords(false)] }),
  );

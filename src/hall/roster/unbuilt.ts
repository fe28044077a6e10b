import { leaf, Refusal, type Shape } from "./leaf.ts";

/** Values that ask for nothing: they say how things are in this version anyway, and may be written. */
interface Harmless {
  includes: (value: unknown) => boolean;
  shape: Shape;
}

const nothing: Harmless = {
  includes: isNothing,
  shape: {
    type: ["null", "array", "object"],
    maxItems: 0,
    additionalProperties: { type: "array", maxItems: 0 },
  },
};

function isNothing(value: unknown): boolean {
  if (value === null) return true;
  return typeof value === "object" && Object.values(value ?? {}).every(isNothing);
}

function notYet(able: string, harmless: Harmless = { includes: () => false, shape: { not: {} } }) {
  return leaf(
    (value): undefined | Refusal =>
      harmless.includes(value)
        ? undefined
        : new Refusal(`this version of hall cannot ${able} yet`, "take the key out", "key"),
    { ...harmless.shape, description: `Not in this version of hall: it cannot ${able} yet.` },
  ).optional();
}

/**
 * Keys that a roster has and that this version does not act on. Writing one is an error that says so, unless what is
 * written is how things are anyway. A feature that gets built takes its key out of this table.
 */
export const UNBUILT = {
  slot: {
    cwd_map: notYet("map paths between client and agent", nothing),
    launch: notYet("start an agent through another command", nothing),
  },
} as const;

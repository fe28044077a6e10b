import { anyShape, leaf, Refusal, textShape } from "./leaf.ts";

export interface CountRange {
  atLeast: number;
  atMost: number;
}

/** A whole number, both ends of the range included; also as text, since that is what a variable gives. */
export const count = ({ atLeast, atMost }: CountRange) =>
  leaf(
    (value) => {
      const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
      const todo = `write a whole number from ${atLeast} to ${atMost}`;
      if (typeof number !== "number" || !Number.isInteger(number))
        return new Refusal("is not a whole number", todo);
      return number >= atLeast && number <= atMost ? number : new Refusal("is out of range", todo);
    },
    anyShape({ type: "integer", minimum: atLeast, maximum: atMost }, textShape("\\d+")),
  );

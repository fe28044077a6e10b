import { anyShape, leaf, Refusal } from "./leaf.ts";
import { closest, oneOf } from "./suggestion.ts";
import { readSwitch, switchWords } from "./switch.ts";

function refuse(value: unknown, options: readonly string[]): Refusal {
  const meant = typeof value === "string" ? closest(value, options) : undefined;
  const todo = meant === undefined ? `write ${oneOf(options)}` : `did you mean ${meant}?`;
  return new Refusal("is not known here", todo);
}

/** One of some words. */
export const choice = <const Option extends string>(options: readonly Option[]) =>
  leaf(
    (value): Option | Refusal => options.find((option) => option === value) ?? refuse(value, options),
    anyShape({ enum: options }),
  );

/** Who serves the agent's calls: the hall or a client on its machine, a client wherever it is, nobody. */
export type Service = "on" | "client" | "off";

/** A switch with a third position. */
export const service = () =>
  leaf(
    (value): Service | Refusal => {
      if (value === "client") return value;
      const position = readSwitch(value);
      if (position !== undefined) return position ? "on" : "off";
      return refuse(value, ["on", "client", "off"]);
    },
    anyShape({ enum: [...switchWords(true), "client", ...switchWords(false)] }),
  );

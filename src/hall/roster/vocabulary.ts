import { type Fields, isFields } from "../../acp/checks.ts";
import { jsonSchema } from "./json-schema.ts";
import type { Path } from "./path.ts";
import { closest } from "./suggestion.ts";

type Part = Readonly<Fields>;
type Home = readonly [where: string, part: Part];

const partsIn = (value: unknown): Part[] => (Array.isArray(value) ? value : [value]).filter(isFields);

/** The parts of a schema that speak about what lies one step further in. */
function within(part: Part, step: string | number): Part[] {
  const alternatives = [...partsIn(part.anyOf), ...partsIn(part.oneOf)].flatMap((one) => within(one, step));
  if (typeof step === "number") return [...partsIn(part.items), ...alternatives];
  const properties = part.properties;
  const known = isFields(properties) ? partsIn(properties[step]) : [];
  return [...(known.length > 0 ? known : partsIn(part.additionalProperties)), ...alternatives];
}

function keysOf(part: Part): string[] {
  const own = isFields(part.properties) ? Object.keys(part.properties) : [];
  return [...own, ...[...partsIn(part.anyOf), ...partsIn(part.oneOf)].flatMap(keysOf)];
}

/** All keys that a roster knows, and where; made when it is first asked. */
export class Vocabulary {
  #schema: Part | undefined;
  #homes: readonly Home[] | undefined;

  /** What to say about a key that is not known where it stands: which one was meant, or where it belongs. */
  advice(key: string, path: Path): string {
    this.#schema ??= jsonSchema();
    this.#homes ??= homesOf(this.#schema);
    const keys = [...new Set(partsAt(this.#schema, path).flatMap(keysOf))];
    if (keys.includes(key)) return "it goes with another type of MCP server; write type: http, sse or stdio";
    const homes = this.#homes.filter(([, part]) => keysOf(part).includes(key));
    if (homes.length > 0) return `it belongs ${homes.map(([where]) => where).join(" or ")}`;
    const meant = closest(key, keys);
    return meant === undefined ? `known here: ${keys.join(", ")}` : `did you mean ${meant}?`;
  }
}

const partsAt = (schema: Part, path: Path): Part[] =>
  path.reduce<Part[]>((parts, step) => parts.flatMap((part) => within(part, step)), [schema]);

/** The maps of a roster in which a key is likely to have been meant. */
function homesOf(schema: Part): Home[] {
  const sections = keysOf(schema).flatMap((key) =>
    partsAt(schema, [key]).map((part): Home => [`under ${key}`, part]),
  );
  const slots = partsAt(schema, ["slots", "NAME"]).map((part): Home => ["in a slot", part]);
  return [["at the top", schema], ...sections, ...slots];
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isFields } from "../../src/acp/checks.ts";
import { ROOT } from "./page.ts";

/** A key of a roster, as the schema has it. */
export interface Key {
  /** `slots.NAME.env`; of a list's entries `slots.NAME.mcp_servers[].url`. */
  path: string;
  /** As it is written; empty when there is none, or when the key holds others. */
  fallback: string;
}

/** Every key, down to those of an MCP server, whose own parts are ACP's. */
export function rosterKeys(): Key[] {
  const schema: unknown = JSON.parse(readFileSync(join(ROOT, "config", "hall.schema.json"), "utf8"));
  const keys = keysIn(schema, "").filter(({ path }) => !/\[\]\..+\[\]/.test(path));
  return [...new Map(keys.map((key) => [key.path, key])).values()];
}

function keysIn(schema: unknown, path: string): Key[] {
  if (!isFields(schema)) return [];
  const { properties, additionalProperties, items, anyOf, oneOf } = schema;
  const choices = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return [
    ...Object.entries(isFields(properties) ? properties : {}).flatMap(([name, inner]) => [
      keyOf(inner, `${path}${name}`),
      ...keysIn(inner, `${path}${name}.`),
    ]),
    ...keysIn(additionalProperties, `${path}NAME.`),
    ...keysIn(items, `${path.slice(0, -1)}[].`),
    ...choices.flatMap((choice) => keysIn(choice, path)),
  ];
}

function keyOf(schema: unknown, path: string): Key {
  const { default: fallback, properties } = isFields(schema) ? schema : {};
  const written = typeof fallback === "string" ? fallback : JSON.stringify(fallback);
  return {
    path,
    fallback: fallback === undefined || isFields(properties) ? "" : written,
  };
}

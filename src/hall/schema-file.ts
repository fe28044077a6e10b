import { existsSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packageRoot } from "../ground/package-root.ts";
import { jsonSchema } from "./roster/json-schema.ts";

/** Where the schema for editors stands. */
export const SCHEMA_FILE = join(packageRoot(), "config", "hall.schema.json");

/** What stands in it. */
export const schemaText = (): string => `${JSON.stringify(jsonSchema(), null, 2)}\n`;

const [, script] = process.argv;
if (script !== undefined && existsSync(script) && realpathSync(script) === fileURLToPath(import.meta.url)) {
  writeFileSync(SCHEMA_FILE, schemaText());
}

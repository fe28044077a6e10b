import { z } from "zod";
import { rosterSchema } from "./schema.ts";

/** What a roster may hold, as editors read it: draft 7, before variables are filled in. */
export function jsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(rosterSchema, { io: "input", target: "draft-7" });
  return {
    $schema,
    title: "Roster of a hall",
    description: "hall.yml: the slots of a hall, and how it runs.",
    ...schema,
  };
}

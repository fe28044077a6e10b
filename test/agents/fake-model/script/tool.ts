import { z } from "zod";

const typeName = z.string().transform((type) => type.toLowerCase());

/** A property of a tool's arguments: as much of JSON Schema as is needed to fill it. Gemini writes types in capitals. */
const Property = z
  .looseObject({
    type: z.union([typeName, z.array(typeName)]).optional(),
    anyOf: z.array(z.looseObject({ type: typeName.optional() })).optional(),
    enum: z.array(z.unknown()).optional(),
    default: z.unknown().optional(),
    items: z.unknown().optional(),
    properties: z.record(z.string(), z.unknown()).optional(),
    required: z.array(z.string()).optional(),
  })
  .catch({});

export type Property = z.infer<typeof Property>;

/** Reads any JSON as a property; what is no schema object (`true`, for one) is a property about which nothing is known. */
export const property = (schema: unknown): Property => Property.parse(schema);

/** A tool that an agent offers to the model. */
export interface Tool {
  readonly name: string;
  /** JSON Schema of its arguments. */
  readonly schema: Property;
  /** Takes text instead of arguments (the "custom" tools of the responses API). */
  readonly freeform?: boolean;
  /** The namespace it was listed in (responses API), to be named again in a call. */
  readonly namespace?: string;
}

/** A call that the model makes: named arguments, or the text of a freeform tool. */
export type Call = { readonly tool: Pick<Tool, "name" | "namespace"> } & (
  | { readonly arguments: Record<string, unknown> }
  | { readonly input: string }
);

import { z } from "zod";

/** Why a value is not taken. */
export class Refusal {
  /** What is said of the value: "is not a duration". Of a key: a whole sentence. */
  readonly what: string;
  /** What to write instead. */
  readonly todo: string;
  readonly about: "key" | "value";

  constructor(what: string, todo: string, about: "key" | "value" = "value") {
    this.what = what;
    this.todo = todo;
    this.about = about;
  }
}

/** A piece of JSON Schema, for editors: what may be written, before variables are filled in. */
export type Shape = Record<string, unknown>;

/**
 * One value of the roster that is neither a map nor a list. `read` gets what is written, its variables filled in
 * (so a number may come as text), and answers what it means or why not. It never puts the value into its words:
 * the value may have come from the environment.
 */
export function leaf<T>(read: (value: unknown) => T | Refusal, shape: Shape) {
  return z
    .unknown()
    .transform((value, context): T => {
      const taken = read(value);
      if (!(taken instanceof Refusal)) return taken;
      context.addIssue({
        code: "custom",
        message: taken.what,
        params: { todo: taken.todo, about: taken.about },
      });
      return z.NEVER;
    })
    .meta(shape);
}

/** A map with these keys and no others. One that is left empty counts as not written: all in it is commented out. */
export const section = <Keys extends z.core.$ZodShape>(keys: Keys) =>
  z.preprocess((value) => value ?? {}, z.strictObject(keys));

/** A list; one that is left empty counts as not written. `example` is shown to those who write something else. */
export const list = <Item extends z.ZodType>(item: Item, example: string) =>
  z.preprocess((value) => value ?? [], z.array(item, { error: listAdvice(example) })).prefault([]);

export const listAdvice = (example: string): string => `write a list, such as ${example}`;

/** A map with keys of the writer's own; one that is left empty counts as not written. */
export const named = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((value) => value ?? {}, z.record(z.string(), item));

/** In JSON Schema: a text with a variable in it, which may become anything. */
const VARIABLE: Shape = { type: "string", pattern: "\\$\\{" };

/** In JSON Schema: a value of one of these shapes, or a variable. */
export const anyShape = (...shapes: readonly Shape[]): Shape => ({ anyOf: [...shapes, VARIABLE] });

/** In JSON Schema: a text that matches as a whole. */
export const textShape = (pattern: string): Shape => ({ type: "string", pattern: `^(${pattern})$` });

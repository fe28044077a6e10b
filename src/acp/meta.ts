import { isEmptyObject, withMember, withoutMember } from "../wire/member.ts";
import { spanOf } from "../wire/splice.ts";

const PARAMS = ["params"];
const META = ["params", "_meta"];

/**
 * The line of a request or notification with this in its params' `_meta`, every other byte as it came. A `_meta` that
 * is no object gives way; a line whose params are no object stays as it is.
 */
export function withMeta(line: Buffer, key: string, value: unknown): Buffer {
  const json = JSON.stringify(value);
  const meta = spanOf(line, META);
  if (meta && line.toString("latin1", meta.start, meta.start + 1) === "{")
    return withMember(line, META, key, json);
  return withMember(line, PARAMS, "_meta", `{${JSON.stringify(key)}:${json}}`);
}

/** The line without this in its `_meta`, and without a `_meta` that holds nothing else. */
export function withoutMeta(line: Buffer, key: string): Buffer {
  const without = withoutMember(line, META, key);
  return isEmptyObject(without, META) ? withoutMember(without, PARAMS, "_meta") : without;
}

import { isFields, metaOf } from "../acp/checks.ts";
import { splice } from "../wire/splice.ts";

/**
 * The line of an `initialize` with the slot that its connection is for; every other byte as it came. One whose
 * params are no object stays as it is: the hall says what is wrong with it.
 */
export function withSlot(line: Buffer, params: unknown, slot: string): Buffer {
  if (!isFields(params)) return line;
  const meta = { ...metaOf(params), "hall/slot": slot };
  if (isFields(params._meta))
    return splice(line, [{ path: ["params", "_meta"], json: JSON.stringify(meta) }]);
  return splice(line, [{ path: ["params"], json: JSON.stringify({ ...params, _meta: meta }) }]);
}

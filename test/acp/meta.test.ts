import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withMeta, withoutMeta } from "../../src/acp/meta.ts";

const lineOf = (message: unknown, space?: number): Buffer =>
  Buffer.from(JSON.stringify(message, null, space));
const paramsOf = (line: Buffer): unknown => JSON.parse(line.toString()).params;

const meta = fc.option(fc.dictionary(fc.string(), fc.jsonValue()), { nil: undefined });
const params = fc.record({ anything: fc.jsonValue(), _meta: meta }, { requiredKeys: [] });
const spaces = fc.constantFrom(undefined, 1, 2);

describe("a key in the _meta of a line", () => {
  it("stands beside all that was written there", () => {
    fc.assert(
      fc.property(params, spaces, (written, space) => {
        const changed = withMeta(lineOf({ id: 0, params: written }, space), "hall/x", "é");
        const before = Object(paramsOf(lineOf({ params: written })));
        expect(paramsOf(changed)).toEqual({ ...before, _meta: { ...before._meta, "hall/x": "é" } });
      }),
    );
  });

  it("comes off again, and a _meta with it that holds nothing else", () => {
    fc.assert(
      fc.property(params, spaces, (written, space) => {
        const line = lineOf({ id: 0, params: written }, space);
        const without = paramsOf(withoutMeta(withMeta(line, "hall/x", { deep: ["}"] }), "hall/x"));
        const { _meta, ...rest } = Object(paramsOf(line));
        const isEmpty = _meta === undefined || Object.keys(_meta).length === 0;
        expect(without).toEqual(isEmpty ? rest : { ...rest, _meta });
      }),
    );
  });

  it("wins over one of before, and over a _meta that is none", () => {
    expect(paramsOf(withMeta(lineOf({ params: { _meta: { k: 1, more: 1 } } }), "k", 2))).toEqual({
      _meta: { k: 2, more: 1 },
    });
    expect(paramsOf(withMeta(lineOf({ params: { _meta: null } }), "k", 2))).toEqual({ _meta: { k: 2 } });
  });

  it("comes off from between others, and from behind them", () => {
    const line = Buffer.from('{"params":{"_meta":{"a\\"":1, "k" : {"x":"}"} , "b":2}}}');
    expect(withoutMeta(line, "k").toString()).toBe('{"params":{"_meta":{"a\\"":1, "b":2}}}');
    const last = Buffer.from('{"params":{"_meta":{"a":1 , "k":[2] }}}');
    expect(withoutMeta(last, "k").toString()).toBe('{"params":{"_meta":{"a":1 }}}');
    expect(withoutMeta(line, "none")).toBe(line);
  });

  it("does not get into a line whose params are no object", () => {
    for (const written of [undefined, null, [], "x", 1]) {
      const line = lineOf({ method: "initialize", params: written });
      expect(withMeta(line, "k", 1)).toEqual(line);
    }
  });

  it("leaves every other byte as it came", () => {
    const line = '{"id": 1e0 , "method":"initialize", "params":{ "n":1.50,"_meta":{},"u":"\\u00e9" }}';
    expect(withMeta(Buffer.from(line), "k", "v").toString()).toBe(line.replace("{}", '{"k":"v"}'));
  });
});

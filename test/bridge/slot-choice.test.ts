import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withSlot } from "../../src/bridge/slot-choice.ts";

const lineOf = (message: unknown): Buffer => Buffer.from(JSON.stringify(message));
const parsed = (line: Buffer): { params: unknown } => JSON.parse(line.toString());

describe("the slot in an initialize", () => {
  it("stands in _meta, beside all that the editor wrote", () => {
    const params = fc.record({ protocolVersion: fc.integer(), anything: fc.jsonValue() });
    const meta = fc.option(fc.dictionary(fc.string(), fc.jsonValue()), { nil: undefined });
    fc.assert(
      fc.property(params, meta, (plain, _meta) => {
        const written = { ...plain, ...(_meta === undefined ? {} : { _meta }) };
        const line = lineOf({ jsonrpc: "2.0", id: 0, method: "initialize", params: written });
        const { params: read } = parsed(line);
        const changed = parsed(withSlot(line, read, "x"));
        expect(changed.params).toEqual({
          ...Object(read),
          _meta: { ...Object(read)._meta, "hall/slot": "x" },
        });
      }),
    );
  });

  it("wins over one that the editor sends", () => {
    const params = { _meta: { "hall/slot": "other", more: 1 } };
    const line = lineOf({ method: "initialize", params });
    expect(parsed(withSlot(line, params, "mine")).params).toEqual({
      _meta: { "hall/slot": "mine", more: 1 },
    });
  });

  it("replaces a _meta that is none", () => {
    const params = { _meta: null };
    const line = lineOf({ method: "initialize", params });
    expect(parsed(withSlot(line, params, "mine")).params).toEqual({ _meta: { "hall/slot": "mine" } });
  });

  it("leaves a line alone whose params are no object", () => {
    for (const params of [undefined, null, [], "x", 1]) {
      const line = lineOf({ method: "initialize", params });
      expect(withSlot(line, params, "mine")).toBe(line);
    }
  });

  it("leaves the editor's other bytes as they are", () => {
    const line = '{"id": 1e0 , "method":"initialize", "params":{ "n":1.50,"_meta":{},"u":"\\u00e9" }}';
    const { params } = parsed(Buffer.from(line));
    expect(withSlot(Buffer.from(line), params, "mine").toString()).toBe(
      line.replace('"_meta":{}', '"_meta":{"hall/slot":"mine"}'),
    );
  });
});

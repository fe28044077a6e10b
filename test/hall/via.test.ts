import { describe, expect, it } from "vitest";
import { viaOf } from "../../src/hall/via.ts";

const asked = (via: unknown) => ({ _meta: { "hall/via": via } });
const named = (count: number): string[] => Array.from({ length: count }, (_, at) => `hall ${at}`);

describe("the halls that a session is asked for through", () => {
  it("are none, or the list that the last of them sends", () => {
    expect(viaOf({}, "here")).toEqual([]);
    expect(viaOf(asked(["one", "two"]), "here")).toEqual(["one", "two"]);
  });

  it("must not hold this one, nor be more than eight with it", () => {
    expect(() => viaOf(asked(["one", "here"]), "here")).toThrow(/lead back to it/);
    expect(viaOf(asked(named(7)), "here")).toHaveLength(7);
    expect(() => viaOf(asked(named(8)), "here")).toThrow(
      expect.objectContaining({ kind: "hall_loop", message: expect.stringContaining("through 8 halls") }),
    );
  });

  it.each(["one", [1], {}])("must be a list of texts: %j", (via) => {
    expect(() => viaOf(asked(via), "here")).toThrow(expect.objectContaining({ code: -32602 }));
  });
});

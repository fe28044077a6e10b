import { anything, assert, property } from "fast-check";
import { describe, expect, it } from "vitest";
import {
  absolutePath,
  additionalDirectories,
  fieldsOf,
  isFields,
  mcpServers,
  metaOf,
  optionalString,
  protocolVersion,
  requiredArray,
  requiredString,
} from "../../src/acp/checks.ts";
import { RpcError } from "../../src/acp/errors.ts";

/** What is wrong with the params, as a client is told. */
function wrong(check: () => unknown): RpcError {
  try {
    check();
  } catch (error) {
    if (error instanceof RpcError) return error;
    throw error;
  }
  throw new Error("Nothing was wrong.");
}

const notText = [undefined, null, 7, true, [], {}];

describe("params", () => {
  it("are an object; none at all are an empty one", () => {
    expect(fieldsOf({ a: 1 })).toEqual({ a: 1 });
    for (const none of [undefined, null]) expect(fieldsOf(none)).toEqual({});
    for (const other of [[], "x", 7, true]) expect(wrong(() => fieldsOf(other)).code).toBe(-32602);
  });

  it("never make a check throw anything but -32602", () => {
    const checks: ((params: Record<string, unknown>) => unknown)[] = [
      (params) => requiredString(params, "value"),
      (params) => requiredArray(params, "value"),
      (params) => absolutePath(params, "value", "/"),
      ({ value }) => additionalDirectories({ additionalDirectories: value }),
      ({ value }) => mcpServers({ mcpServers: value }),
      ({ value }) => protocolVersion({ protocolVersion: value }),
      ({ value }) => optionalString({ value }, "value"),
      ({ value }) => metaOf({ _meta: value }),
      ({ value }) => fieldsOf(value),
    ];
    assert(
      property(anything(), (value) => {
        for (const check of checks) {
          try {
            check({ value });
          } catch (error) {
            expect(error).toMatchObject({ code: -32602 });
          }
        }
      }),
    );
  });
});

describe("a required field", () => {
  it("is named where it is missing or of another type", () => {
    expect(requiredString({ a: "" }, "a")).toBe("");
    expect(requiredArray({ a: [1] }, "a")).toEqual([1]);
    for (const value of notText) {
      expect(wrong(() => requiredString({ a: value }, "a"))).toMatchObject({
        code: -32602,
        data: { field: "a" },
      });
    }
    for (const value of [undefined, null, {}, "x"]) {
      expect(wrong(() => requiredArray({ a: value }, "a"))).toMatchObject({
        code: -32602,
        data: { field: "a" },
      });
    }
  });
});

describe("an optional field", () => {
  it("that is of another type counts as absent", () => {
    expect(optionalString({ a: "x" }, "a")).toBe("x");
    for (const value of notText) expect(optionalString({ a: value }, "a")).toBeUndefined();
    expect(metaOf({ _meta: { x: 1 } })).toEqual({ x: 1 });
    for (const value of [undefined, null, [], "x"]) expect(metaOf({ _meta: value })).toEqual({});
  });
});

describe("a path", () => {
  it("is absolute, or the default where there is none", () => {
    expect(absolutePath({ cwd: "/a/../b" }, "cwd")).toBe("/a/../b");
    for (const none of [undefined, null]) expect(absolutePath({ cwd: none }, "cwd", "/home")).toBe("/home");
    for (const value of ["", ".", "a/b", "~/x", "C:relative"])
      expect(wrong(() => absolutePath({ cwd: value }, "cwd", "/home")).code).toBe(-32602);
    for (const value of [7, {}, []])
      expect(wrong(() => absolutePath({ cwd: value }, "cwd")).code).toBe(-32602);
    expect(wrong(() => absolutePath({}, "cwd"))).toMatchObject({ data: { field: "cwd" } });
  });
});

describe("additional directories", () => {
  it("are absolute paths, all of them; none at all are none", () => {
    expect(additionalDirectories({ additionalDirectories: ["/a", "/b"] })).toEqual(["/a", "/b"]);
    for (const none of [undefined, null, "x", {}])
      expect(additionalDirectories({ additionalDirectories: none })).toEqual([]);
    for (const list of [["a"], ["/a", ""], ["/a", 7], [null]])
      expect(wrong(() => additionalDirectories({ additionalDirectories: list })).code).toBe(-32602);
  });
});

describe("MCP servers", () => {
  const stdio = { name: "files", command: "/bin/x", args: [], env: [] };
  const http = { type: "http", name: "web", url: "https://x", headers: [], future: { field: 1 } };

  it("each have a name and a command or a URL, and keep all else that they have", () => {
    expect(mcpServers({ mcpServers: [stdio, http] })).toEqual([stdio, http]);
    for (const none of [undefined, null, []]) expect(mcpServers({ mcpServers: none })).toEqual([]);
  });

  it("are wrong as a whole where one is, and it is named", () => {
    for (const list of [{}, "x", 7]) expect(wrong(() => mcpServers({ mcpServers: list })).code).toBe(-32602);
    for (const bad of [
      null,
      "x",
      {},
      { command: "x" },
      { name: "x" },
      { name: 7, command: "x" },
      { name: "x", url: 7 },
    ])
      expect(wrong(() => mcpServers({ mcpServers: [stdio, bad] })).message).toContain("mcpServers[1]");
  });
});

describe("fields", () => {
  it("are objects, and no lists", () => {
    expect([{}, Object.create(null)].every(isFields)).toBe(true);
    expect([null, undefined, [], "x", 7, () => {}].some(isFields)).toBe(false);
  });
});

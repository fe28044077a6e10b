import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const TESTS = join(import.meta.dirname, "..");

/** The cases that README.md lists, each in a table's first column. */
const listed = [...read(join(import.meta.dirname, "README.md")).matchAll(/^\| ((?:NG|K)-\d+) \|/gm)].map(
  ([, id = ""]) => id,
);

/** The cases in the names of all tests: what stands in brackets at the start of a string. */
const shown = new Set(
  readdirSync(TESTS, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .flatMap((file) => [...read(join(TESTS, file)).matchAll(/["`]\[([^\]]*)\] /g)])
    .flatMap(([, ids = ""]) => ids.split(", "))
    .filter((id) => /^(NG|K)-\d+$/.test(id)),
);

function read(file: string): string {
  return readFileSync(file, "utf8");
}

describe("the cases of the systems that the hall takes in", () => {
  it("are all there, each once", () => {
    expect(listed).toHaveLength(56);
    expect(new Set(listed).size).toBe(listed.length);
  });

  it("each have a test that carries their number", () => {
    expect(listed.filter((id) => !shown.has(id))).toEqual([]);
  });

  it("are the only ones that tests name", () => {
    expect([...shown].filter((id) => !listed.includes(id))).toEqual([]);
  });
});

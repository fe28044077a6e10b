import { describe, expect, it } from "vitest";
import { faultsOfTop, read } from "./rosters.ts";

const notYet = (path: string, able: string) =>
  `${path}: this version of hall cannot ${able} yet; take the key out`;

describe("a key whose feature is not built yet", () => {
  it.each([
    ["watch: true", "watch", "reload the roster when its file changes"],
    ["keep: true", "keep", "decide by the roster how long a hall runs that nobody uses"],
  ])("is an error that says so, at the top: %s", (line, path, able) => {
    expect(faultsOfTop(line)).toEqual([notYet(path, able)]);
  });

  it("is an error at the key, with nothing else said", () => {
    expect(() => read("slots: { a: { demo: true } }\nwatch: true\n")).toThrow(
      /^\/srv\/hall\.yml:2:1: watch: this version of hall cannot .* yet; take the key out$/,
    );
  });

  it("may be written with the value that says how things are anyway", () => {
    const written = read(`
watch: off
permission: { rules: [] }
slots:
  a:
    demo: true
    permission: { rules: [] }
`);
    const { text: _, ...plain } = read("slots: { a: { demo: true } }");
    expect({ ...written, text: undefined }).toEqual({ ...plain, text: undefined });
  });
});

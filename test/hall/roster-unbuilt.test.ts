import { describe, expect, it } from "vitest";
import { faultsOfSlot, read } from "./rosters.ts";

const notYet = (path: string, able: string) =>
  `${path}: this version of hall cannot ${able} yet; take the key out`;

describe("a key whose feature is not built yet", () => {
  it.each([
    ["cwd_map: [{ client: /a, agent: /b }]", "map paths between client and agent"],
    ["launch: [ssh, host]", "start an agent through another command"],
  ])("is an error that says so, in a slot: %s", (line, able) => {
    expect(faultsOfSlot(line)).toEqual([notYet(`slots.a.${line.split(":")[0]}`, able)]);
  });

  it("is an error at the key, with nothing else said of the slot", () => {
    expect(() => read("slots:\n  a:\n    demo: true\n    launch: [ssh, host]\n")).toThrow(
      /^\/srv\/hall\.yml:4:5: slots\.a\.launch: this version of hall cannot .* yet; take the key out$/,
    );
  });

  it("may be written with the value that says how things are anyway", () => {
    const written = read(`
permission: { rules: [] }
slots:
  a:
    demo: true
    cwd_map: []
    launch:
    permission: { rules: [] }
`);
    const { text: _, ...plain } = read("slots: { a: { demo: true } }");
    expect({ ...written, text: undefined }).toEqual({ ...plain, text: undefined });
  });
});

import { assert, constantFrom, property, array as sequence } from "fast-check";
import { describe, expect, it } from "vitest";
import { Glob, HOLE } from "../../src/permission/glob.ts";

const text = (...characters: string[]) =>
  sequence(constantFrom(...characters), { maxLength: 8 }).map((letters) => letters.join(""));

describe("a glob", () => {
  it.each([
    ["git *", "git status", true],
    ["git *", "git", false],
    ["git*", "git", true],
    ["*", "", true],
    ["*.ts", "a/b.ts", true],
    ["a*a", "a", false],
    ["a*b*c", "a\nb\nc", true],
    ["a*b*c", "acb", false],
    ["(a|b)[c]?.+", "(a|b)[c]?.+", true],
    ["a?", "ab", false],
    ["A", "a", false],
  ])("%j on %j: %j", (source, on, matches) => {
    expect(new Glob(source).covers(on)).toBe(matches);
  });

  it("covers what an expression of the same meaning does", () => {
    assert(
      property(text("a", "b", "*"), text("a", "b"), (source, on) => {
        const expression = new RegExp(`^${source.replaceAll("*", ".*")}$`, "s");
        expect(new Glob(source).covers(on)).toBe(expression.test(on));
        expect(new Glob(source).mayMatch(on)).toBe(expression.test(on));
      }),
      { numRuns: 2_000 },
    );
  });

  it("may match just where a filling of the holes exists, and covers only where each does", () => {
    const fillings = ["", "a", "b", "ab", "ba", "aab"];
    assert(
      property(
        text("a", "b", "*"),
        text("a", "b", HOLE),
        constantFrom(...fillings),
        (source, on, filling) => {
          const glob = new Glob(source);
          const filled = on.replaceAll(HOLE, filling);
          if (glob.covers(filled)) expect(glob.mayMatch(on)).toBe(true);
          if (glob.covers(on)) expect(glob.covers(filled)).toBe(true);
        },
      ),
      { numRuns: 4_000 },
    );
    expect(new Glob("rm *").mayMatch(`${HOLE} x`)).toBe(true);
    expect(new Glob("rm *").mayMatch(`git ${HOLE}`)).toBe(false);
  });

  it("takes no longer for a text that was made to be slow", () => {
    const slow = "ab".repeat(32_000);
    expect(new Glob("*a*b*a*b*a*b*c").covers(slow)).toBe(false);
    expect(new Glob("*a*b*a*b*a*b*c").mayMatch(`${HOLE}${slow}`)).toBe(false);
  });
});

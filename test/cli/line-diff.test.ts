import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineDiff } from "../../src/cli/line-diff.ts";

const shown = (before: string, after: string): string[] =>
  lineDiff(before, after).map(({ sign, text }) => `${sign}${text}`);

describe("a change of lines", () => {
  it("shows what is taken out and put in, with two lines around it", () => {
    expect(shown("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nX\ne\nf\n")).toEqual([" b", " c", "-d", "+X", " e", " f"]);
  });

  it("shows a new file as all new, and a removed one as all gone", () => {
    expect(shown("", "a\nb\n")).toEqual(["+a", "+b"]);
    expect(shown("a\nb", "")).toEqual(["-a", "-b"]);
  });

  it("shows nothing but context where nothing changed", () => {
    expect(lineDiff("a\nb\n", "a\nb\n").filter(({ sign }) => sign !== " ")).toEqual([]);
  });

  it("hides nothing: what it shows, put in where it belongs, makes the one text the other", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 8 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const diff = lineDiff(
          before.map((line) => `${line}\n`).join(""),
          after.map((line) => `${line}\n`).join(""),
        );
        const of = (sign: string): string[] =>
          diff.filter((line) => line.sign === sign).map((line) => line.text);
        const [out, fresh] = [of("-"), of("+")];
        const possible = Array.from({ length: before.length + 1 }, (_, at) => [
          ...before.slice(0, at),
          ...fresh,
          ...before.slice(at + out.length),
        ]);
        expect(possible).toContainEqual(after);
        expect(before.length - out.length).toBe(after.length - fresh.length);
      }),
    );
  });
});

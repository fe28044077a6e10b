import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Flow } from "../../src/demo/flow.ts";
import { paper } from "./paper.ts";

const MARGIN = 4;

/** The text that a flow makes of these pieces, behind a margin. */
function flowed(pieces: readonly string[], columns = 20): string {
  const { stage, text } = paper(columns);
  const flow = new Flow(stage, MARGIN, "plain");
  for (const piece of pieces) flow.push(piece);
  flow.end();
  return text();
}

describe("a flow of text", () => {
  it("wraps between words, behind the margin", () => {
    expect(flowed(["one two three four five"])).toBe("one two three\n    four five\n");
  });

  it("shows a word as soon as a space follows it, and not in halves", () => {
    const { stage, text } = paper(20);
    const flow = new Flow(stage, MARGIN, "plain");
    flow.push("hel");
    expect(text()).toBe("");
    flow.push("lo ");
    expect(text()).toBe("hello");
  });

  it("keeps paragraphs, and shows no blank line at the beginning or the end", () => {
    expect(flowed(["\n\none\n\n\n\ntwo\nthree\n\n"])).toBe("one\n\n    two\n    three\n");
  });

  it("lets a word that is too long for any line stand by itself", () => {
    expect(flowed(["a abcdefghijklmnopqrstuvwxyz b"])).toBe("a\n    abcdefghijklmnopqrstuvwxyz\n    b\n");
  });

  it("is the same however the text is cut into pieces, loses no word, and stays in its columns", () => {
    const word = fc.stringMatching(/^[a-zé🙂]{1,12}$/u);
    const text = fc.array(fc.tuple(word, fc.constantFrom(" ", "\n", "\n\n", "  ")), { maxLength: 40 });
    fc.assert(
      fc.property(text, fc.array(fc.nat(400), { maxLength: 20 }), (words, cuts) => {
        const whole = words.flat().join("");
        const places = [...cuts.map((cut) => cut % (whole.length + 1)), 0, whole.length].sort(
          (a, b) => a - b,
        );
        const pieces = places.slice(1).map((end, index) => whole.slice(places[index], end));
        const shown = flowed(pieces);
        expect(shown).toBe(flowed([whole]));
        expect(shown.split(/\s+/).filter(Boolean)).toEqual(whole.split(/\s+/).filter(Boolean));
        const lines = `${" ".repeat(MARGIN)}${shown}`.split("\n");
        expect(lines.filter((line) => [...line].length > 20)).toEqual([]);
      }),
    );
  });
});

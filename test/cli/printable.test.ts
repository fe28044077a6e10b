import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printable } from "../../src/cli/printable.ts";

describe("text of an agent on a terminal", () => {
  it("shows escape sequences instead of obeying them", () => {
    expect(printable("rm -rf /\x1b[2K\rls")).toBe("rm -rf /␛[2K␍ls");
    expect(printable("\x9b31m")).toBe("\\u009b31m");
  });

  it("shows what would turn the direction of the text", () => {
    expect(printable("a\u202eb\u2066c")).toBe("a\\u202eb\\u2066c");
  });

  it("keeps lines, tabs and every other character", () => {
    const text = "one\n\ttwo — drei 日本 🙂";
    expect(printable(text)).toBe(text);
    expect(printable("a\r\nb")).toBe("a\nb");
  });

  it("never holds a control character but tab and newline", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
        expect(printable(text)).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
      }),
    );
  });
});

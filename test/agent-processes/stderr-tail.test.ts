import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StderrTail } from "../../src/agents/stderr-tail.ts";

function linesOf(chunks: readonly Buffer[]): string[] {
  const lines: string[] = [];
  const tail = new StderrTail((line) => lines.push(line));
  for (const chunk of chunks) tail.push(chunk);
  tail.end();
  return lines;
}

describe("the tail of stderr", () => {
  it("has the same lines however they were cut into reads", () => {
    const text = fc.array(
      fc.string({ unit: "binary", maxLength: 40 }).map((line) => line.replace(/[\r\n]/g, "")),
    );
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 7 }), (lines, size) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        expect(linesOf(chunks)).toEqual(linesOf([bytes]));
        expect(linesOf([bytes])).toEqual(lines.map((line) => Buffer.from(line).toString("utf8")));
      }),
    );
  });

  it("takes CRLF for a newline, and a last line without one for a line", () => {
    expect(linesOf([Buffer.from("a\r\n\r\nb\rc\nend")])).toEqual(["a", "", "b\rc", "end"]);
    expect(linesOf([Buffer.from("a\n")])).toEqual(["a"]);
    expect(linesOf([])).toEqual([]);
  });

  it("cuts a long line where a character ends, and says so", () => {
    for (const [unit, bytes] of [
      ["x", 1],
      ["é", 2],
      ["€", 3],
      ["🏛", 4],
    ] as const) {
      for (const shift of ["", "y", "yy", "yyy"]) {
        const [line = "", next] = linesOf([Buffer.from(`${shift}${unit.repeat(5000)}\nnext`)]);
        const whole = Math.floor((4096 - shift.length) / bytes);
        expect(line).toBe(`${shift}${unit.repeat(whole)}…`);
        expect(next).toBe("next");
      }
    }
    expect(linesOf([Buffer.from(`${"x".repeat(4096)}\n`)])).toEqual(["x".repeat(4096)]);
  });

  it("keeps the last lines, within bounds, whatever comes", () => {
    const tail = new StderrTail();
    for (let index = 0; index < 100_000; index++) tail.push(Buffer.from(`line ${index}\n`));
    expect(tail.last(2)).toEqual(["line 99998", "line 99999"]);
    expect(tail.last(0)).toEqual([]);
    expect(tail.last(1e9)).toHaveLength(200);
    for (let index = 0; index < 100; index++) tail.push(Buffer.alloc(1024 * 1024, "x"));
    expect(tail.last(1)).toEqual(["line 99999"]);
    for (let index = 0; index < 100; index++) tail.push(Buffer.from(`\n${"x".repeat(5000)}`));
    expect(tail.last(1e9).join("").length).toBeLessThanOrEqual(64 * 1024);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OutputTail } from "../../src/workspace/output-tail.ts";

const bytes = (text: string): number => Buffer.byteLength(text);

describe("the tail of what a terminal printed", () => {
  it("is all of it while it fits", () => {
    const tail = new OutputTail(10);
    const print = tail.inlet();
    expect(tail.printed()).toEqual({ output: "", truncated: false });
    print(Buffer.from("0123"));
    print(Buffer.from("456789"));
    expect(tail.printed()).toEqual({ output: "0123456789", truncated: false });
    print(Buffer.from("a"));
    expect(tail.printed()).toEqual({ output: "123456789a", truncated: true });
  });

  it("begins with a whole character", () => {
    const tail = new OutputTail(4);
    tail.inlet()(Buffer.from("a✓✓"));
    expect(tail.printed()).toEqual({ output: "✓", truncated: true });
  });

  it("keeps characters whole whose bytes come apart, with another stream's in between", () => {
    const tail = new OutputTail(100);
    const [stdout, stderr] = [tail.inlet(), tail.inlet()];
    const [first, second] = [Buffer.from("✓"), Buffer.from("😀")];
    stdout(first.subarray(0, 1));
    stderr(second.subarray(0, 2));
    stdout(first.subarray(1));
    stderr(second.subarray(2));
    expect(tail.printed().output).toBe("✓😀");
  });

  it("shows bytes that are no UTF-8 as U+FFFD, those cut off by the end too", () => {
    const tail = new OutputTail(100);
    const print = tail.inlet();
    print(Buffer.from([0x61, 0xff, 0xe2, 0x9c]));
    expect(tail.printed().output).toBe("a\ufffd");
    print();
    expect(tail.printed().output).toBe("a\ufffd\ufffd");
  });

  it("is nothing when nothing is to be kept", () => {
    const tail = new OutputTail(0);
    tail.inlet()(Buffer.from("x"));
    expect(tail.printed()).toEqual({ output: "", truncated: true });
  });

  it("is the longest end of whole characters within the limit, in whatever pieces it came", () => {
    const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 9 }), { maxLength: 12 });
    const limits = fc.integer({ min: 0, max: 40 });
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), pieces, limits, (text, cuts, limit) => {
        const all = Buffer.from(text);
        const tail = new OutputTail(limit);
        const print = tail.inlet();
        let start = 0;
        for (const { length } of cuts) {
          print(all.subarray(start, start + length));
          start += length;
        }
        print(all.subarray(start));
        print();
        const { output, truncated } = tail.printed();
        const whole = all.toString();
        expect(whole.endsWith(output)).toBe(true);
        expect(bytes(output)).toBeLessThanOrEqual(limit);
        expect(truncated).toBe(output !== whole);
        const before = [...whole.slice(0, whole.length - output.length)].at(-1) ?? "";
        if (truncated) expect(bytes(before) + bytes(output)).toBeGreaterThan(limit);
      }),
    );
  });
});

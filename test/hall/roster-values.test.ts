import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDuration, showDuration } from "../../src/ground/duration.ts";
import { parseSize, showSize } from "../../src/hall/roster/size.ts";
import { closest, oneOf } from "../../src/hall/roster/suggestion.ts";

describe("a duration", () => {
  it("is milliseconds, seconds, minutes, hours, or a number of seconds", () => {
    expect(["500ms", "5s", "2m", "1h", "90", "0.5", "1.5h", "0"].map(parseDuration)).toEqual([
      500, 5000, 120_000, 3_600_000, 90_000, 500, 5_400_000, 0,
    ]);
  });

  it("is nothing else", () => {
    for (const text of [
      "",
      "s",
      "5 s",
      "5S",
      "-5s",
      "1d",
      "5sec",
      "1h30m",
      "1e3",
      ".5s",
      "never",
      "9".repeat(20),
      "Infinity",
    ]) {
      expect(parseDuration(text)).toBeUndefined();
    }
  });

  it("is the same after it was written and read", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (ms) => {
        expect(parseDuration(showDuration(ms))).toBe(ms);
      }),
    );
  });

  it("is written in the largest unit that leaves nothing over", () => {
    expect([0, 1, 1500, 90_000, 1_800_000, 7_200_000].map(showDuration)).toEqual([
      "0s",
      "1ms",
      "1500ms",
      "90s",
      "30m",
      "2h",
    ]);
  });
});

describe("a size", () => {
  it("is bytes, KiB, MiB, GiB, or a number of bytes", () => {
    expect(["7B", "64KiB", "32MiB", "1GiB", "1500", "0"].map(parseSize)).toEqual([
      7,
      65_536,
      33_554_432,
      2 ** 30,
      1500,
      0,
    ]);
  });

  it("is nothing else", () => {
    for (const text of [
      "",
      "MiB",
      "1.5MiB",
      "32MB",
      "32M",
      "32 MiB",
      "-1",
      "1e3",
      "9".repeat(20),
      "9999999GiB",
    ]) {
      expect(parseSize(text)).toBeUndefined();
    }
  });

  it("is the same after it was written and read", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (bytes) => {
        expect(parseSize(showSize(bytes))).toBe(bytes);
      }),
    );
  });

  it("is written in the largest unit that leaves nothing over", () => {
    expect([0, 1500, 65_536, 33_554_432, 2 ** 31].map(showSize)).toEqual([
      "0B",
      "1500B",
      "64KiB",
      "32MiB",
      "2GiB",
    ]);
  });
});

describe("a suggestion", () => {
  const words = ["idle_timeout", "init_timeout", "cwd", "fs", "env", "env_inherit"];

  it("is the word that was nearly written", () => {
    expect(closest("idel_timeout", words)).toBe("idle_timeout");
    expect(closest("IdleTimeout", words)).toBe("idle_timeout");
    expect(closest("init-timeout", words)).toBe("init_timeout");
    expect(closest("inherit_env", words)).toBeUndefined();
    expect(closest("cdw", words)).toBe("cwd");
    expect(closest("envs", words)).toBe("env");
  });

  it("is none when nothing is near, or when nothing of the word would be left", () => {
    expect(closest("zebra", words)).toBeUndefined();
    expect(closest("xy", words)).toBeUndefined();
    expect(closest("", words)).toBeUndefined();
    expect(closest("x".repeat(100_000), words)).toBeUndefined();
  });

  it("is always the word itself when it is there", () => {
    fc.assert(
      fc.property(fc.constantFrom(...words), (word) => {
        expect(closest(word, words)).toBe(word);
      }),
    );
  });

  it("lists words as one reads them", () => {
    expect([oneOf(["a"]), oneOf(["a", "b"]), oneOf(["a", "b", "c"])]).toEqual(["a", "a or b", "a, b or c"]);
  });
});

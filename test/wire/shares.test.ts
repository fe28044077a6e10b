import { describe, expect, it } from "vitest";
import { Shares } from "../../src/wire/shares.ts";

const KIB = 1024;
const [flood, other] = [{}, {}];

/** The shares that a flood gets, which reads 64 KiB at once. */
const sharesOf = (shares: Shares, count: number): number[] =>
  Array.from({ length: count }, () => {
    shares.came(flood, 64 * KIB);
    return shares.next();
  });

describe("a share of the event loop", () => {
  it("is a whole one for whoever is alone", () => {
    expect(sharesOf(new Shares(), 3)).toEqual([64 * KIB, 64 * KIB, 64 * KIB]);
  });

  it("is a small one while somebody else sends a little, and for some shares after that", () => {
    const shares = new Shares();
    sharesOf(shares, 1);
    shares.came(other, 300);
    const following = sharesOf(shares, 200);
    expect(following.lastIndexOf(16 * KIB)).toBe(63);
    expect(new Set(following.slice(0, 64))).toEqual(new Set([16 * KIB]));
    expect(new Set(following.slice(64))).toEqual(new Set([64 * KIB]));
  });

  it("stays whole when the flood itself brings a small piece, as its last one is", () => {
    const shares = new Shares();
    sharesOf(shares, 1);
    shares.came(flood, 300);
    expect(sharesOf(shares, 1)).toEqual([64 * KIB]);
  });

  it("stays whole beside others that flood too", () => {
    const shares = new Shares();
    shares.came(other, 64 * KIB);
    expect(sharesOf(shares, 1)).toEqual([64 * KIB]);
  });
});

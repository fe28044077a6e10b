import { describe, expect, it } from "vitest";
import { BackOff } from "../../src/bridge/back-off.ts";

describe("the wait between attempts", () => {
  it("doubles from 250 ms to 5 s, and begins anew when all was well", () => {
    const backOff = new BackOff(() => 1);
    const waits = Array.from({ length: 7 }, () => backOff.next());
    expect(waits).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000]);
    backOff.reset();
    expect(backOff.next()).toBe(250);
  });

  it("is between half and all of that", () => {
    expect(new BackOff(() => 0).next()).toBe(125);
    expect(new BackOff(() => 0.5).next()).toBe(188);
  });
});

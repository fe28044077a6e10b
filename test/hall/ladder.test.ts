import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { Ladder } from "../../src/hall/ladder.ts";

function ladder(grace: number, atRung: (name: string, ladder: Ladder) => void = () => {}) {
  const clock = new HandClock();
  const climbed: string[] = [];
  const rungs = ["ask", "nudge", "kill"].map((name) => (): void => {
    climbed.push(name);
    atRung(name, one);
  });
  const one: Ladder = new Ladder(clock, grace, rungs, () => climbed.push("spent"));
  return { clock, climbed, ladder: one };
}

describe("a ladder", () => {
  it("is climbed a rung at a time, each when the one before did not help within the grace", () => {
    const { clock, climbed, ladder: one } = ladder(5_000);
    one.climb();
    expect(climbed).toEqual(["ask"]);
    clock.advance(4_999);
    expect(climbed).toEqual(["ask"]);
    clock.advance(1);
    expect(climbed).toEqual(["ask", "nudge"]);
    clock.advance(5_000);
    expect(climbed).toEqual(["ask", "nudge", "kill"]);
  });

  it("is spent when the last rung did not help within the grace either, once", () => {
    const { clock, climbed, ladder: one } = ladder(100);
    one.climb();
    clock.advance(299);
    expect(climbed.at(-1)).toBe("kill");
    clock.advance(10_000);
    one.climb();
    expect(climbed).toEqual(["ask", "nudge", "kill", "spent"]);
    expect(clock.pending).toBe(0);
  });

  it("never climbs past the first rung where the grace is 0", () => {
    const { clock, climbed, ladder: one } = ladder(0);
    one.climb();
    expect(clock.pending).toBe(0);
    clock.advance(1e9);
    expect(climbed).toEqual(["ask"]);
  });

  it("can be climbed faster: the grace runs anew from each rung", () => {
    const { clock, climbed, ladder: one } = ladder(100);
    one.climb();
    clock.advance(60);
    one.climb();
    clock.advance(60);
    expect(climbed).toEqual(["ask", "nudge"]);
    clock.advance(40);
    expect(climbed).toEqual(["ask", "nudge", "kill"]);
  });

  it.each(["before", "at", "behind"])("is not climbed any more once it was stopped (%s a rung)", (when) => {
    const {
      clock,
      climbed,
      ladder: one,
    } = ladder(100, (name, itself) => {
      if (when === "at" && name === "ask") itself.stop();
    });
    if (when === "before") one.stop();
    one.climb();
    if (when === "behind") one.stop();
    clock.advance(1_000);
    one.climb();
    expect(climbed).toEqual(when === "before" ? [] : ["ask"]);
    expect(clock.pending).toBe(0);
  });
});

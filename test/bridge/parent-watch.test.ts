import { describe, expect, it } from "vitest";
import { watchParent } from "../../src/bridge/parent-watch.ts";
import { HandClock } from "../../src/ground/clock.ts";

describe("the watch over the parent", () => {
  it("tells within two seconds that another process is the parent now, and once", () => {
    const clock = new HandClock();
    let parent = 100;
    let gone = 0;
    watchParent(
      clock,
      () => gone++,
      () => parent,
    );
    clock.advance(60_000);
    expect(gone).toBe(0);
    parent = 1;
    clock.advance(2000);
    expect(gone).toBe(1);
    clock.advance(60_000);
    expect(gone).toBe(1);
    expect(clock.pending).toBe(0);
  });

  it("ends when it is told to", () => {
    const clock = new HandClock();
    let parent = 100;
    let gone = 0;
    const unwatch = watchParent(
      clock,
      () => gone++,
      () => parent,
    );
    clock.advance(5000);
    unwatch();
    parent = 1;
    clock.advance(60_000);
    expect(gone).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it("is about the process that started this one, also where that is the first of its system", () => {
    const clock = new HandClock();
    let gone = 0;
    watchParent(
      clock,
      () => gone++,
      () => 1,
    );
    clock.advance(60_000);
    expect(gone).toBe(0);
  });
});

import { describe, expect, it } from "vitest";
import { Starts } from "../../src/agents/starts.ts";

/** A start that goes on until it is told to end. */
function slow(): {
  start: () => Promise<string>;
  begun: boolean;
  finish(result: string): void;
  fail(error: Error): void;
} {
  let finish = (_: string): void => {};
  let fail = (_: Error): void => {};
  const done = new Promise<string>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  const self = {
    begun: false,
    start: () => {
      self.begun = true;
      return done;
    },
    finish: (result: string) => finish(result),
    fail: (error: Error) => fail(error),
  };
  return self;
}

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("starts", () => {
  it("run so many at once, first come first served, whether one fails or not", async () => {
    const starts = new Starts(2);
    const all = [slow(), slow(), slow(), slow()];
    const results = all.map((each) => starts.run(each.start).catch((error: Error) => error.message));
    await soon();
    expect(all.map((each) => each.begun)).toEqual([true, true, false, false]);
    expect([starts.starting, starts.waiting]).toEqual([2, 2]);
    all[1]?.fail(new Error("no"));
    await results[1];
    await soon();
    expect(all.map((each) => each.begun)).toEqual([true, true, true, false]);
    for (const each of all) each.finish("up");
    expect(await Promise.all(results)).toEqual(["up", "no", "up", "up"]);
    expect([starts.starting, starts.waiting]).toEqual([0, 0]);
  });

  it("are taken out while they wait, and never run", async () => {
    const starts = new Starts(1);
    const [first, second, third] = [slow(), slow(), slow()];
    const given = new AbortController();
    const results = [
      starts.run(first.start),
      starts.run(second.start, given.signal).catch((error: Error) => error.message),
      starts.run(third.start),
    ];
    await soon();
    given.abort(new Error("closed"));
    expect(await results[1]).toBe("closed");
    first.finish("up");
    await results[0];
    await soon();
    expect([second.begun, third.begun]).toEqual([false, true]);
    third.finish("up");
    await results[2];
    await expect(starts.run(second.start, given.signal)).rejects.toThrow("closed");
    expect(second.begun).toBe(false);
  });

  it("keep their place until they are over, though nobody wants them any more", async () => {
    const starts = new Starts(1);
    const [first, second] = [slow(), slow()];
    const given = new AbortController();
    const results = [starts.run(first.start, given.signal), starts.run(second.start)];
    await soon();
    given.abort(new Error("closed"));
    await soon();
    expect([starts.starting, second.begun]).toEqual([1, false]);
    first.finish("up after all");
    expect(await results[0]).toBe("up after all");
    second.finish("up");
    await results[1];
  });

  it("follow a new limit", async () => {
    const starts = new Starts(1);
    const all = [slow(), slow(), slow()];
    const results = all.map((each) => starts.run(each.start));
    starts.limit = 3;
    expect(starts.limit).toBe(3);
    await soon();
    expect(all.map((each) => each.begun)).toEqual([true, true, true]);
    for (const each of all) each.finish("up");
    await Promise.all(results);
  });
});

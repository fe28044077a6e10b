import { describe, expect, it } from "vitest";
import { Stopping } from "../../src/cli/stopping.ts";

/** Remembers with what it was stopped. */
function stoppable() {
  const drains: number[] = [];
  let over = (): void => {};
  const stopped = new Promise<void>((resolve) => {
    over = resolve;
  });
  const stop = (drain: number): Promise<void> => {
    drains.push(drain);
    return stopped;
  };
  return { stop, drains, over: () => over() };
}

describe("the wish to stop", () => {
  it("stops what runs, each time it comes, and is over when that is", async () => {
    const [stopping, service] = [new Stopping(7), stoppable()];
    const ended = stopping.of(service);
    expect(service.drains).toEqual([]);
    stopping.ask();
    stopping.ask();
    expect(service.drains).toEqual([7, 7]);
    service.over();
    await ended;
  });

  it("is kept for what is only starting", async () => {
    const [stopping, service] = [new Stopping(7), stoppable()];
    stopping.ask();
    const ended = stopping.of(service);
    expect(service.drains).toEqual([7]);
    service.over();
    await ended;
  });

  it("fails as the stop does", async () => {
    const stopping = new Stopping(7);
    const ended = stopping.of({ stop: () => Promise.reject(new Error("no room")) });
    stopping.ask();
    await expect(ended).rejects.toThrow("no room");
  });
});

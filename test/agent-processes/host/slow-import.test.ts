import { expect, it } from "vitest";
import { IMPORT_WITHIN_MS, tellIfSlow } from "../../../src/agents/host/slow-import.ts";
import { HandClock } from "../../../src/ground/clock.ts";

it("a module that waits at its top level for what never comes is told of, and one that is there or has failed is not", async () => {
  const clock = new HandClock();
  const told: string[] = [];
  const notice = (what: string): void => void told.push(what);
  tellIfSlow(Promise.resolve(), "/a/quick.mjs", clock, notice);
  const failing = Promise.reject(new Error("no"));
  tellIfSlow(failing, "/a/broken.mjs", clock, notice);
  await failing.catch(() => {});
  tellIfSlow(new Promise(() => {}), "/a/planner.mjs", clock, notice);
  clock.advance(IMPORT_WITHIN_MS - 1);
  expect(told).toEqual([]);
  clock.advance(1);
  expect(told).toEqual([
    "planner.mjs has been imported for 10 s and is not done; what it awaits at its top level has not come.",
  ]);
});

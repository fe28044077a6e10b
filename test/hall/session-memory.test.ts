import { describe, expect, it } from "vitest";
import { SessionMemory } from "../../src/hall/memory.ts";

describe("the turn that goes on, as a session's record tells", () => {
  const memoryOf = (...words: string[]): SessionMemory => {
    const memory = new SessionMemory();
    for (const word of words) {
      const [type = "", turn = ""] = word.split(" ");
      if (type === "accepted") memory.take({ type, at: 1, turn, digest: "" });
      if (type === "started") memory.take({ type, at: 2, turn, from: 0, to: 1 });
      if (type === "ended") memory.take({ type, at: 3, turn, to: 1, outcome: { result: {} } });
    }
    return memory;
  };

  it.each([
    ["none, before one has begun", ["accepted a"], undefined],
    ["the one that has begun", ["accepted a", "accepted b", "started a"], "a"],
    ["none, when it has ended", ["accepted a", "started a", "ended a"], undefined],
    ["none, when one that waited was dropped", ["accepted a", "ended a"], undefined],
    [
      "the latest, where a hall was killed twice",
      ["accepted a", "started a", "accepted b", "started b"],
      "b",
    ],
    [
      "the earlier, once the latest has ended",
      ["accepted a", "started a", "accepted b", "started b", "ended b"],
      "a",
    ],
  ])("is %s", (_which, words, expected) => {
    expect(memoryOf(...words).goingOn?.id).toBe(expected);
  });
});

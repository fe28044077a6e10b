import { beforeEach, describe, expect, it } from "vitest";
import { EarlyUpdates } from "../../src/hall/early-updates.ts";

const MIB = 1024 * 1024;

describe("what an agent tells of a session before its name is known", () => {
  let noticed: string[];
  let early: EarlyUpdates<string[]>;
  beforeEach(() => {
    noticed = [];
    early = new EarlyUpdates((what) => noticed.push(what));
  });

  const tell = (sessionId: string, text: string, bytes = 1): void =>
    early.hold(sessionId, bytes, (sink) => sink.push(text));
  const told = (sessionId: string): string[] => {
    const sink: string[] = [];
    early.deliver(sessionId, sink);
    return sink;
  };

  it("is given over once, in its order, to the session that it is about", () => {
    early.expect();
    for (const [session, text] of [
      ["a", "1"],
      ["b", "2"],
      ["a", "3"],
    ] as const)
      tell(session, text);
    expect(told("a")).toEqual(["1", "3"]);
    expect(told("a")).toEqual([]);
    expect(told("b")).toEqual(["2"]);
  });

  it("waits for as long as some session is without a name, and no longer", () => {
    early.expect();
    early.expect();
    tell("a", "1");
    early.named();
    tell("a", "2");
    early.named();
    expect(told("a")).toEqual([]);
    tell("a", "3");
    expect(noticed).toEqual(["an update for a session that is not bound (a)"]);
  });

  it("is a thousand updates at the most; the first too many is told of, once", () => {
    early.expect();
    for (let count = 1; count <= 1_003; count += 1) tell("a", String(count));
    expect(told("a")).toHaveLength(1_000);
    expect(noticed).toEqual([expect.stringContaining("more than 1000 updates")]);
  });

  it("is 8 MiB at the most, or one that is larger by itself; what was given over makes room", () => {
    early.expect();
    tell("a", "large", 9 * MIB);
    tell("a", "too much");
    expect(told("a")).toEqual(["large"]);
    tell("b", "fits", 8 * MIB);
    tell("b", "too much", 1);
    expect(told("b")).toEqual(["fits"]);
    expect(noticed).toHaveLength(1);
  });
});

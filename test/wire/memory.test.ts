import { describe, expect, it } from "vitest";
import { memoryPair } from "../../src/wire/memory.ts";
import { Listener } from "./listener.ts";

const text = (words: string): Buffer => Buffer.from(words);

function pair(): [Listener, Listener] {
  const [a, b] = memoryPair();
  return [new Listener(a), new Listener(b)];
}

async function arrived(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
}

describe("two transports in memory", () => {
  it("carry bytes both ways, in order, and never within the write", async () => {
    const [near, far] = pair();
    near.transport.write(text("one"));
    near.transport.write(text("two"));
    far.transport.write(text("back"));
    expect(far.text).toBe("");
    await arrived();
    expect([near.text, far.text]).toEqual(["back", "onetwo"]);
  });

  it("may be started late: nothing is lost", async () => {
    const [a, b] = memoryPair();
    const near = new Listener(a);
    near.transport.write(text("early"));
    near.transport.end();
    await arrived();
    const far = new Listener(b);
    await arrived();
    expect(far).toMatchObject({ text: "early", heard: ["ended"] });
  });

  it("end one direction at a time, and close with the second", async () => {
    const [near, far] = pair();
    near.transport.write(text("the last"));
    near.transport.end();
    await far.ended;
    far.transport.write(text("an answer"));
    await arrived();
    expect(far).toMatchObject({ text: "the last", heard: ["ended"] });
    expect(near).toMatchObject({ text: "an answer", heard: [] });
    far.transport.end();
    await Promise.all([near.closed, far.closed]);
    expect(near.heard).toEqual(["ended", "closed"]);
  });

  it("close both when one is destroyed, once", async () => {
    const [near, far] = pair();
    near.transport.destroy();
    near.transport.destroy();
    await Promise.all([near.closed, far.closed]);
    far.transport.write(text("into the void"));
    await arrived();
    expect(near).toMatchObject({ text: "", heard: ["closed"] });
    expect(far.heard.filter((what) => what === "closed")).toEqual(["closed"]);
  });

  it("keep what a paused side does not read as the other's backlog, which rings when it is taken", async () => {
    const [near, far] = pair();
    far.transport.pause();
    near.transport.write(Buffer.alloc(1_000));
    near.transport.end();
    await arrived();
    expect([near.transport.backlog, far.received, far.heard]).toEqual([1_000, 0, []]);
    let rings = 0;
    near.transport.onDrain(() => {
      rings += 1;
    });
    await arrived();
    expect(rings).toBe(0);
    far.transport.resume();
    await arrived();
    expect([near.transport.backlog, far.received, far.heard, rings]).toEqual([0, 1_000, ["ended"], 1]);
  });

  it("ring what waits when they are closed, and at once where nothing waits", async () => {
    const [near, far] = pair();
    far.transport.pause();
    near.transport.write(Buffer.alloc(10));
    const drained = new Promise<void>((resolve) => near.transport.onDrain(resolve));
    near.transport.destroy();
    await drained;
    await new Promise<void>((resolve) => near.transport.onDrain(resolve));
  });
});

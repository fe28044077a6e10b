import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { converse, hallWith, joined, promptsTo } from "../doubles/conversation.ts";
import { eventually } from "../doubles/eventually.ts";
import { gate } from "../doubles/gate.ts";
import type { TestHall } from "../doubles/start-hall.ts";

const key = (name: string) => ({ "hall/turn": name });

describe("prompts, when the hall stops", () => {
  it("that wait are answered shutting_down and dropped", async () => {
    const { hall, client, sessionId } = await converse();
    const { wait, reached } = gate();
    void client.prompt(sessionId, [wait]);
    const waiting = client.prompt(sessionId, "waiting");
    await reached();
    await Promise.all([
      expect(waiting).rejects.toMatchObject({ code: -32000, data: { kind: "shutting_down" } }),
      hall.restart("stop"),
    ]);
    const back = await joined(hall, sessionId);
    await back.prompt(sessionId, "next");
    expect(promptsTo(hall).join()).not.toContain("waiting");
  });
});

describe("prompts, when the hall is killed", () => {
  it("that ran are interrupted, and never sent again", async () => {
    const { hall, client, sessionId } = await converse();
    const { wait, reached } = gate();
    void client.prompt(sessionId, [wait], key("k"));
    await reached();
    await hall.restart("kill");
    const back = await joined(hall, sessionId);
    await expect(back.prompt(sessionId, [wait], key("k"))).rejects.toMatchObject({
      data: { kind: "interrupted" },
    });
    expect(promptsTo(hall)).toHaveLength(1);
  });

  it("that had ended tell their outcome to whoever has the key, and do not run again", async () => {
    const { hall, client, sessionId } = await converse();
    const answer = await client.prompt(sessionId, "hello", key("k"));
    await hall.restart("kill");
    const back = await joined(hall, sessionId);
    expect(await back.prompt(sessionId, "hello", key("k"))).toMatchObject({
      stopReason: "end_turn",
      _meta: { "hall/turn": "k", "hall/cursor": answer._meta?.["hall/cursor"] },
    });
    expect(promptsTo(hall)).toHaveLength(1);
  });

  it("that waited without a key are dropped, and never run", async () => {
    const { hall, client, sessionId } = await converse();
    const { wait, reached } = gate();
    void client.prompt(sessionId, [wait]);
    void client.prompt(sessionId, "waiting");
    await reached();
    await client.saidMeanwhile();
    await hall.restart("kill");
    const back = await joined(hall, sessionId);
    await back.prompt(sessionId, "next");
    expect(promptsTo(hall).join()).not.toContain("waiting");
  });
});

/** Keyed prompts wait behind a turn that runs, in a session of their own each way that a hall can end. */
async function withWaiting(options: Parameters<typeof converse>[1] = {}) {
  const conversation = await converse({}, options);
  const { client, sessionId } = conversation;
  const { wait, reached, open } = gate();
  const running = client.prompt(sessionId, [wait], key("running"));
  await reached();
  const waiting = ["one", "two", "three"].map((name) => client.prompt(sessionId, name, key(name)));
  await client.saidMeanwhile();
  return { ...conversation, running, waiting, open };
}

const textsTo = (hall: TestHall): string => promptsTo(hall).join("\n");

describe.each(["stop", "kill"] as const)("prompts that wait under a key, at a %s", (how) => {
  it("get no answer, and run at the next start, in order, before anything new", async () => {
    const { hall, sessionId, waiting } = await withWaiting();
    const [cut] = await Promise.all([Promise.allSettled(waiting), hall.restart(how)]);
    for (const one of cut) expect(one).toMatchObject({ status: "rejected", reason: { name: "Error" } });
    const back = await hall.connect();
    await back.initialize();
    const fresh = back.prompt(sessionId, "new");
    const answers = ["one", "two", "three"].map((name) => back.prompt(sessionId, name, key(name)));
    for (const answer of [fresh, ...answers]) expect(await answer).toMatchObject({ stopReason: "end_turn" });
    const later = await joined(hall, sessionId);
    expect(later.texts(sessionId)).toMatch(/oneecho: twoecho: threeecho: new$/);
    expect(promptsTo(hall)).toHaveLength(5);
  });

  it("run also when nobody comes back for them, and their keys have the outcome", async () => {
    const { hall, client, sessionId } = await withWaiting();
    client.destroy();
    await hall.restart(how);
    await eventually(() => promptsTo(hall).length).toBe(4);
    const back = await joined(hall, sessionId);
    expect(await back.prompt(sessionId, "three", key("three"))).toMatchObject({ stopReason: "end_turn" });
    expect(promptsTo(hall)).toHaveLength(4);
    await expect(back.prompt(sessionId, "other words", key("three"))).rejects.toMatchObject({
      data: { kind: "key_reused" },
    });
  });

  it("are dropped where the slot says so", async () => {
    const { hall, sessionId, waiting } = await withWaiting({ slot: { on_restart: "drop" } });
    const outcomes = Promise.allSettled(waiting);
    await hall.restart(how);
    const dropped = how === "stop" ? "shutting_down" : "interrupted";
    if (how === "stop") {
      for (const one of await outcomes) expect(one).toMatchObject({ reason: { data: { kind: dropped } } });
    }
    const back = await joined(hall, sessionId);
    await expect(back.prompt(sessionId, "one", key("one"))).rejects.toMatchObject({
      data: { kind: dropped },
    });
    expect(textsTo(hall)).not.toContain("one");
  });

  it("run once, though the hall ends again before their time has come", async () => {
    const { hall, sessionId } = await withWaiting();
    await hall.restart(how);
    await hall.restart("kill");
    const back = await hall.connect();
    await back.initialize();
    expect(await back.prompt(sessionId, "new")).toMatchObject({ stopReason: "end_turn" });
    const times = ["one", "two", "three"].map((name) => textsTo(hall).split(`"${name}"`).length - 1);
    for (const count of times) expect(count).toBeLessThanOrEqual(1);
    const later = await joined(hall, sessionId);
    for (const name of ["one", "two", "three"])
      expect(await later.prompt(sessionId, name, key(name)).catch((error) => error.data.kind)).toSatisfy(
        (end: unknown) => end === "interrupted" || Object(end).stopReason === "end_turn",
      );
  });

  it("leave no file behind when they have run", async () => {
    const { hall, sessionId } = await withWaiting();
    const files = (): string[] => readdirSync(join(hall.state, "sessions", sessionId, "turns"));
    expect(files()).toHaveLength(3);
    await hall.restart(how);
    const back = await joined(hall, sessionId);
    await back.prompt(sessionId, "new");
    expect(files()).toEqual([]);
  });
});

describe("a prompt that waits under a key while the hall stops", () => {
  it("can still be cancelled, and never runs then", async () => {
    const { hall, client, sessionId, running, waiting, open } = await withWaiting();
    const stopped = hall.service.stop(30_000);
    client.cancel(sessionId, key("one"));
    await expect(waiting[0]).resolves.toMatchObject({ stopReason: "cancelled" });
    open();
    await Promise.all([running, stopped]);
    await hall.restart("stop");
    const back = await joined(hall, sessionId);
    await back.prompt(sessionId, "two", key("two"));
    expect(textsTo(hall)).not.toContain("one");
  });

  it("does not hold the stop up, and its client's other answers come", async () => {
    const { hall, client, sessionId, running, open } = await withWaiting();
    const plain = client.prompt(sessionId, "plain");
    await client.saidMeanwhile();
    const clock = performance.now();
    const stopped = hall.service.stop(30_000);
    await expect(plain).rejects.toMatchObject({ data: { kind: "shutting_down" } });
    open();
    expect(await running).toMatchObject({ stopReason: expect.stringMatching(/end_turn|cancelled/) });
    await stopped;
    expect(performance.now() - clock).toBeLessThan(10_000);
  });
});

describe("a hall that stops", () => {
  it("ends an agent that is still starting, and answers who waited for it", async () => {
    const hall = await hallWith({ neverInitialize: true });
    const client = await hall.connect();
    await client.initialize({ _meta: { "hall/control": true } });
    const opening = client.newSession();
    await expect.poll(() => hall.agents().length, { timeout: 15_000 }).toBe(1);
    const { places } = hall.service.hall;
    await Promise.all([expect(opening).rejects.toMatchObject({ code: -32000 }), hall.stop()]);
    expect(places.taken).toBe(0);
  });
});

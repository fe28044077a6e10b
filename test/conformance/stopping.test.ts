import { describe, expect, it } from "vitest";
import { converse, hallWith, joined, promptsTo } from "../doubles/conversation.ts";
import { gate } from "../doubles/gate.ts";

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

  // The roster cannot keep them yet (`on_restart`); until it can, nothing that waited runs behind its sender's back.
  it("that waited under a key are dropped too, and say so to whoever has the key", async () => {
    const { hall, client, sessionId } = await converse();
    const { wait, reached } = gate();
    void client.prompt(sessionId, [wait]);
    void client.prompt(sessionId, "waiting", key("k"));
    await reached();
    await client.saidMeanwhile();
    await hall.restart("kill");
    const back = await joined(hall, sessionId);
    await expect(back.prompt(sessionId, "waiting", key("k"))).rejects.toMatchObject({
      data: { kind: "interrupted" },
    });
    expect(promptsTo(hall).join()).not.toContain("waiting");
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

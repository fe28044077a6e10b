import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { messagesTo } from "../doubles/agent-transcripts.ts";
import type { Ways } from "../doubles/scripted-agent/ways.ts";
import { type SlotOptions, startHall, type TestHall } from "../doubles/start-hall.ts";
import { Wire } from "../doubles/wire.ts";

/** Two halls, and a wire between them that can be cut. */
async function wired(slot: SlotOptions = {}, ways: Ways = {}) {
  const second = await startHall({ slots: { a: { ways } } });
  const wire = await Wire.to(Number(second.service.addresses.tcp?.split(":").at(-1)));
  const first = await startHall({ slots: { far: { hall: wire.address, ...slot } } });
  const client = await first.connect();
  const session = await client.begin();
  return { first, second, wire, client, session };
}

/** A turn that waits for a file in the middle. */
const inTwoParts = (file: string) => [{ say: "one " }, { sleepUntilFile: file }, { say: "two" }];

async function comeBack(hall: TestHall, session: string) {
  const client = await hall.connect();
  await client.initialize({ _meta: { "hall/echo": true } });
  await client.load(session);
  return client;
}

const methodsSeen = (hall: TestHall) =>
  hall
    .agents()
    .flatMap(messagesTo)
    .map(({ method }) => method);

describe("a hall behind a hall that is lost", () => {
  it("is come back to in the middle of a turn, in which nothing is missing", async () => {
    const { client, session, wire, second } = await wired();
    const file = join(second.work, "go");
    const prompted = client.prompt(session, inTwoParts(file));
    await client.hears("one ");
    wire.cut();
    writeFileSync(file, "");
    wire.mend();
    expect((await prompted).stopReason).toBe("end_turn");
    expect(client.texts(session)).toBe("one two");
  });

  it("goes on with a turn while this hall is killed, and the next one hears all of it, once", async () => {
    const { client, session, wire, first, second } = await wired();
    const file = join(second.work, "go");
    const prompt = inTwoParts(file);
    void client.prompt(session, prompt, { "hall/turn": "k" }).catch(() => {});
    await client.hears("one ");
    wire.cut();
    await first.restart("kill");
    writeFileSync(file, "");
    const next = await comeBack(first, session);
    expect(next.texts(session)).toBe("one ");
    const prompted = next.prompt(session, prompt, { "hall/turn": "k" });
    wire.mend();
    expect((await prompted).stopReason).toBe("end_turn");
    expect(next.texts(session)).toBe("one two");
    expect(next.userTexts(session)).toBe(JSON.stringify(prompt));
    await next.prompt(session, [{ say: ", three" }]);
    const other = await comeBack(first, session);
    expect(other.texts(session)).toBe("one two, three");
    expect(methodsSeen(second).filter((method) => method === "session/prompt")).toHaveLength(2);
  });

  it("hears of a cancel as soon as it is there again, though its client need not wait for that", async () => {
    const { client, session, wire, first, second } = await wired();
    const prompt = [{ say: "one " }, { wait: "forever" as const }];
    void client.prompt(session, prompt, { "hall/turn": "k" }).catch(() => {});
    await client.hears("one ");
    wire.cut();
    await first.restart("kill");
    const next = await comeBack(first, session);
    const prompted = next.prompt(session, prompt, { "hall/turn": "k" });
    next.cancel(session);
    expect((await prompted).stopReason).toBe("cancelled");
    wire.mend();
    await next.prompt(session, [{ say: "two" }]);
    expect(next.texts(session)).toBe("one two");
    expect(methodsSeen(second)).toContain("session/cancel");
  });

  it("tells what it told others while nobody here wanted to know", async () => {
    const modes = { currentModeId: "ask", availableModes: ["ask", "code"].map((id) => ({ id, name: id })) };
    const { client, session, first, second } = await wired({ idle_timeout: "50ms" }, { modes });
    await client.prompt(session, [{ say: "one" }]);
    await expect.poll(() => first.service.hall.places.taken).toBe(0);
    const there = await second.connect();
    await there.initialize();
    const { sessions } = await there.list();
    const [{ sessionId = "" } = {}] = sessions;
    await there.load(sessionId, { cwd: first.work });
    await there.setMode(sessionId, "code");
    await there.prompt(sessionId, [{ say: ", there, " }]);
    await client.prompt(session, [{ tell: "mode" }]);
    expect(client.texts(session)).toBe("one, there, mode: code");
    expect(client.updates(session)).toContainEqual({
      sessionUpdate: "current_mode_update",
      currentModeId: "code",
    });
    expect(client.userTexts(session)).toBe(JSON.stringify([{ say: ", there, " }]));
  });

  it("that has lost the session says so, and begins anew with what was said", async () => {
    const { client, session, second } = await wired();
    await client.prompt(session, [{ say: "one" }]);
    const there = await second.connect();
    await there.initialize();
    const [{ sessionId = "" } = {}] = (await there.list()).sessions;
    await there.deleteSession(sessionId);
    await expect(client.prompt(session, [{ say: "two" }])).rejects.toMatchObject({
      message: expect.stringContaining("has this session no longer; prompt again"),
      data: { kind: "restore_failed", slot: "far" },
    });
    await client.prompt(session, [{ tell: "memory" }]);
    expect(client.texts(session)).toMatch(/memory: .*Assistant: one/s);
  });

  it("is not kept waiting by a client that does not read, nor is another one", async () => {
    const { client, session, first, second } = await wired();
    const slow = await first.connect();
    await slow.initialize();
    await slow.load(session);
    slow.stopReading();
    const bytes = 8 * 2 ** 20;
    expect((await client.prompt(session, [{ flood: { bytes } }, { say: "done" }])).stopReason).toBe(
      "end_turn",
    );
    expect([...second.service.hall.clients].map((one) => one.blocked)).toEqual([false]);
    slow.readAgain();
    await slow.hears("done");
    expect(slow.updateBytes(session).length).toBeGreaterThan(bytes);
  });
});

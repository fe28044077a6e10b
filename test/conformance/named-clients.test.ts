import { describe, expect, it } from "vitest";
import { resultOf } from "../../src/acp/checks.ts";
import { HandClock } from "../../src/ground/clock.ts";
import type { AcpClient } from "../doubles/acp-client.ts";
import { hallWith, promptsTo } from "../doubles/conversation.ts";
import { gate } from "../doubles/gate.ts";
import type { JsonObject } from "../doubles/scripted-agent/ways.ts";
import type { TestHall } from "../doubles/start-hall.ts";

const NAME = "0123456789abcdef0123456789abcdef";
const everything = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };

/** A client that says this name of itself, and that it counts. */
async function named(hall: TestHall, name = NAME): Promise<AcpClient> {
  const client = await hall.connect();
  const _meta = { "hall/client": name, "hall/echo": true };
  await client.initialize({ clientCapabilities: everything, _meta });
  return client;
}

/** Where the hall says that the client's reading begins. */
const beginnings = ({ messages }: AcpClient): JsonObject[] =>
  messages.filter(({ method }) => method === "_hall/cursor").map(({ params }) => resultOf(params));

const callKey = (params: unknown): unknown => resultOf(resultOf(params)._meta)["hall/call"];

describe("a client that gave itself a name", () => {
  it("has its place taken by the next connection under that name, which closes the old one", async () => {
    const hall = await hallWith();
    const before = await named(hall);
    const stranger = await hall.connect();
    await stranger.initialize();
    await named(hall);
    await before.closed;
    expect(await stranger.saidMeanwhile()).toEqual([]);
  });

  it("is told where its reading begins, before anything is read from there, and each time it moves", async () => {
    const hall = await hallWith();
    const client = await named(hall);
    const { sessionId, _meta } = await client.newSession();
    await client.prompt(sessionId, "hello");
    const end = client.updateBytes(sessionId).length;
    const journal = resultOf(_meta)["hall/journal"];
    await client.load(sessionId);
    const back = await named(hall);
    await back.resume(sessionId, { _meta: { "hall/cursor": 0 } });
    await back.resume(sessionId);
    const at = (requestId: number, cursor: number) => ({ sessionId, requestId, journal, cursor });
    expect(beginnings(client)).toEqual([at(2, 0), at(4, 0)]);
    expect(beginnings(back)).toEqual([at(2, 0)]);
    expect(back.updateBytes(sessionId).length).toBe(end);
  });

  it("is asked what is still open under the same key, before its resume is answered; its answer counts", async () => {
    const hall = await hallWith();
    const first = await named(hall);
    const { sessionId } = await first.newSession();
    void first.prompt(sessionId, [{ ask: { tool: { id: "t" } } }], { "hall/turn": "key" });
    const question = await first.question();
    first.destroy();
    const back = await named(hall);
    const cursor = first.updateBytes(sessionId).length;
    const since = back.received.length;
    await back.resume(sessionId, { _meta: { "hall/cursor": cursor } });
    const methods = back.messages.slice(since).map(({ method }) => method);
    expect(methods).toEqual(["_hall/cursor", "session/request_permission", undefined]);
    const again = await back.question();
    expect(callKey(again.params)).toBe(callKey(question.params));
    expect(callKey(again.params)).toMatch(/./);
    again.select("allow");
    await back.prompt(sessionId, [{ ask: { tool: { id: "t" } } }], { "hall/turn": "key" });
    expect(back.texts(sessionId)).toContain("asked: selected allow");
  });

  it("is waited for with what only it can do, and nobody else does it in its place", async () => {
    const hall = await hallWith({}, { slot: { fs: "client" } });
    const first = await named(hall);
    const { sessionId } = await first.newSession();
    first.answerWith(() => "silence");
    const [one, two] = [gate(), gate()];
    const script = [one.wait, { read: "/one" }, two.wait, { read: "/two" }];
    void first.prompt(sessionId, script, { "hall/turn": "key" });
    await one.reached();
    one.open();
    const { message } = await first.sees(({ method }) => method === "fs/read_text_file");
    first.destroy();
    const other = await hall.connect();
    await other.initialize({ clientCapabilities: everything });
    await other.load(sessionId);
    const back = await named(hall);
    back.answerWith(({ params }) => ({
      content: `of the editor, ${callKey(params) === callKey(message.params)}`,
    }));
    await back.resume(sessionId, { _meta: { "hall/cursor": first.updateBytes(sessionId).length } });
    // Its prompt has not come again yet: what is called meanwhile is still for it.
    await two.reached();
    two.open();
    await back.hears("read: of the editor, false");
    await back.prompt(sessionId, script, { "hall/turn": "key" });
    expect(back.texts(sessionId)).toBe("read: of the editor, trueread: of the editor, false");
    expect(other.messages.some(({ method }) => method === "fs/read_text_file")).toBe(false);
  });

  it("makes a session once under a key, also when it asks again after the hall was killed", async () => {
    const hall = await hallWith();
    const params = { _meta: { "hall/key": "k1" } };
    const first = await named(hall);
    const [one, two] = await Promise.all([first.newSession(params), first.newSession(params)]);
    expect(two.sessionId).toBe(one.sessionId);
    await hall.restart("kill");
    const back = await named(hall);
    const { sessionId } = await back.newSession(params);
    expect(sessionId).toBe(one.sessionId);
    expect((await back.prompt(sessionId, "hello")).stopReason).toBe("end_turn");
    expect(promptsTo(hall)).toHaveLength(1);
  });

  it("leaves nothing that was only for it, ten minutes after it was last there", async () => {
    const clock = new HandClock();
    const hall = await hallWith({}, { clock });
    const client = await named(hall);
    const { sessionId } = await client.newSession({ _meta: { "hall/key": "k" } });
    client.destroy();
    await expect.poll(() => hall.service.hall.clients.size).toBe(0);
    clock.advance(10 * 60_000 - 1);
    expect(hall.service.hall.sessions.size).toBe(1);
    clock.advance(1);
    await expect.poll(() => hall.service.hall.sessions.size).toBe(0);
    const other = await hall.connect();
    await other.initialize();
    await expect(other.load(sessionId)).rejects.toMatchObject({ code: -32002 });
  });

  it("has thirty seconds to come back before on_disconnect: cancel acts", async () => {
    const clock = new HandClock();
    const hall = await hallWith({}, { clock, slot: { on_disconnect: "cancel" } });
    const client = await named(hall);
    const { sessionId } = await client.newSession();
    const point = gate();
    void client.prompt(sessionId, [{ say: "here" }, point.wait, { wait: "cancel" }], { "hall/turn": "key" });
    await point.reached();
    client.destroy();
    const [connection] = hall.service.hall.clients;
    await expect.poll(() => connection?.gone).toBe(true);
    clock.advance(29_999);
    const turn = hall.service.hall.sessions.get(sessionId).turns.running;
    expect(turn?.cancelled).toBe(false);
    clock.advance(1);
    expect(turn?.cancelled).toBe(true);
    point.open();
    await expect.poll(() => turn?.state).toBe("ended");
  });

  it("that says farewell is gone with its connection", async () => {
    const hall = await hallWith();
    const client = await named(hall);
    await client.newSession();
    client.notify("_hall/farewell", {});
    client.end();
    await client.closed;
    await expect.poll(() => hall.service.hall.sessions.size).toBe(0);
  });
});

import { describe, expect, it } from "vitest";
import { converse, hallWith, toAgents } from "../doubles/conversation.ts";
import { gate } from "../doubles/gate.ts";

const request = (id: string, method = "session/list", params = "{}"): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}\n`;

async function initialized() {
  const hall = await hallWith();
  const client = await hall.connect();
  await client.initialize();
  return client;
}

describe("the ids of a client's requests", () => {
  it.each([1_000, "1", "", "ü", -7, 0, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])(
    "[C14, ACP-JSONRPC-001] %j comes back as it was, in its type",
    async (id) => {
      const client = await initialized();
      client.raw(request(JSON.stringify(id)));
      expect(await client.answerTo(id)).toHaveProperty("result.sessions");
    },
  );

  it('[C14, ACP-JSONRPC-001] 1 and "1" are two ids, open at the same time', async () => {
    const { client, sessionId } = await converse();
    const { wait, open } = gate();
    const prompt = JSON.stringify([{ type: "text", text: JSON.stringify([wait]) }]);
    client.raw(request("901", "session/prompt", `{"sessionId":"${sessionId}","prompt":${prompt}}`));
    client.raw(request('"901"'));
    expect(await client.answerTo("901")).toHaveProperty("result.sessions");
    open();
    expect(await client.answerTo(901)).toHaveProperty("result.stopReason", "end_turn");
  });

  // The schema of v1 allows null, discouraged as it is.
  it("[C15] null is an id, and comes back", async () => {
    const client = await initialized();
    client.raw(request("null"));
    expect(await client.answerTo(null)).toHaveProperty("result.sessions");
  });

  it.each(["1.5", "true", "{}", "[]", '["1"]'])("[C16] %s is no id: -32600 without an id", async (id) => {
    const client = await initialized();
    client.raw(request(id));
    expect(await client.answerTo(null)).toHaveProperty("error.code", -32600);
    expect(await client.saidMeanwhile()).toEqual([]);
  });

  it.each(["9007199254740993", "-9007199254740993", "9223372036854775807", "1e400"])(
    "[C17] %s, which a double cannot hold, is refused and never answered as another number",
    async (id) => {
      const client = await initialized();
      client.raw(request(id));
      expect(await client.answerTo(null)).toHaveProperty("error.code", -32600);
      expect(await client.saidMeanwhile()).toEqual([]);
    },
  );

  it("[C18] a second request with an id that is open is refused under that id; the first is unaffected", async () => {
    const { client, sessionId } = await converse();
    const { wait, open } = gate();
    const id = client.nextId;
    const turn = client.prompt(sessionId, [wait, { say: "done" }]);
    const since = client.received.length;
    client.raw(request(String(id)));
    expect(await client.answerTo(id, since)).toHaveProperty("error.code", -32600);
    open();
    const answer = await client.answerTo(id, client.received.length);
    expect(answer).toHaveProperty("result.stopReason", "end_turn");
    expect(client.texts(sessionId)).toBe("done");
    await turn.catch(() => {}); // Its promise took the refusal, as any client's would.
  });

  it("[C19] clients and agents that use the same ids at the same time do not get in each other's way", async () => {
    const { hall, client: a, sessionId: inA } = await converse();
    const b = await hall.connect();
    const inB = await b.begin();
    expect(a.nextId).toBe(b.nextId);
    const turns = [
      a.prompt(inA, [{ ask: { tool: { id: "t" } }, as: "a" }]),
      b.prompt(inB, [{ ask: { tool: { id: "t" } }, as: "b" }]),
    ];
    const [ofA, ofB] = [await a.question(), await b.question()];
    expect(ofA.params.sessionId).toBe(inA);
    expect(ofB.params.sessionId).toBe(inB);
    ofB.select("reject");
    ofA.select("allow");
    await Promise.all(turns);
    expect(a.texts(inA)).toBe("a: selected allow");
    expect(b.texts(inB)).toBe("b: selected reject");
  });

  // A message with an id alone is elsewhere answered -32600. It may be meant for an answer, which is never answered.
  it("[C20, NG-4, NG-5, NG-6] answers to nothing, and answers that are none, are ignored: no agent hears of them", async () => {
    const { hall, client, sessionId } = await converse();
    const turn = client.prompt(sessionId, [{ ask: { tool: { id: "t" } } }]);
    const question = await client.question();
    const before = toAgents(hall).length;
    client.send({ jsonrpc: "2.0", id: 999, result: {} });
    client.send({ jsonrpc: "2.0", id: "nobody", error: { code: 1, message: "No." } });
    client.send({ jsonrpc: "2.0", id: 999, result: {}, error: { code: 1, message: "No." } });
    client.raw('{"jsonrpc":"2.0","id":999}\n');
    expect(await client.saidMeanwhile()).toEqual([]);
    expect(toAgents(hall)).toHaveLength(before);
    question.select("allow");
    await turn;
    expect(client.texts(sessionId)).toBe("asked: selected allow");
  });
});

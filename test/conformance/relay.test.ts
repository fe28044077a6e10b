import { describe, expect, it } from "vitest";
import type { AcpClient } from "../doubles/acp-client.ts";
import { converse, hallWith, inOrder, joined } from "../doubles/conversation.ts";
import { eventually } from "../doubles/eventually.ts";
import { gate } from "../doubles/gate.ts";
import type { Step } from "../doubles/scripted-agent/script.ts";

const numbered = (from: number, to: number, text = "burst "): string =>
  Array.from({ length: to - from }, (_, n) => `${text}${from + n}`).join("");

/** A client that gets every line of a session, its own user lines too: what a journal holds. */
const echoing = { _meta: { "hall/echo": true } };

async function beginEchoing(ways = {}) {
  const hall = await hallWith(ways);
  const client = await hall.connect();
  await client.initialize(echoing);
  return { hall, client, sessionId: (await client.newSession()).sessionId };
}

const lastIsAnswerTo = (client: AcpClient, id: number): void => {
  expect(inOrder(client).at(-1)).toBe(`answer ${id}`);
};

describe("the updates of a turn", () => {
  it("[C31, ACP-PROMPT-001, ACP-PROMPT-002, NG-49] written in one breath with its answer come all, in order, before it", async () => {
    const { client, sessionId } = await converse();
    const id = client.nextId;
    const answer = await client.prompt(sessionId, [{ burst: { count: 200 } }]);
    expect(answer).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe(numbered(0, 200));
    lastIsAnswerTo(client, id);
  });

  it("[C31] come so to every client of the session", async () => {
    const { hall, client, sessionId } = await converse();
    const others = [await joined(hall, sessionId), await joined(hall, sessionId)];
    await client.prompt(sessionId, [{ burst: { count: 200 } }, { say: "the end" }]);
    for (const other of others) {
      await other.hears("the end");
      expect(other.texts(sessionId)).toBe(`${numbered(0, 200)}the end`);
      expect(other.userTexts(sessionId)).not.toBe("");
    }
    expect(client.userTexts(sessionId)).toBe("");
  });

  it("[C32, NG-136] keep every byte but the session's id: spaces, numbers, unknown fields, unknown kinds", async () => {
    const { client, sessionId } = await converse({ idPrefix: "s-" });
    client.exempt(({ method }) => method === "session/update");
    const updates = [
      '{"sessionUpdate":"_vendor_thing","n":1.0,"big":12345678901234567890,"e":1E+2}',
      '{"sessionUpdate":"subagent_update" , "child" : { "id":"s-1" } }',
      '{"x":null,"sessionUpdate":"agent_message_chunk","content":{"type":"hologram","data":"\\u00fc\\/"},"y":[ ]}',
      '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"\u2028ü🙂","annotations":{"z":0.10}},"_meta":{"a":{"b":1}}}',
    ];
    const line = (update: string): string =>
      `{"jsonrpc":"2.0",  "method":"session/update","params":{"_meta":{"k":1},"sessionId":"s-1","update":${update},"more":true},"extra":[1.50]}`;
    const since = client.received.length;
    await client.prompt(
      sessionId,
      updates.map((update) => ({ raw: line(update) })),
    );
    const came = client.received.slice(since).filter(({ message }) => message.method === "session/update");
    expect(came.map(({ bytes }) => bytes.toString())).toEqual(
      updates.map((update) => `${line(update).replace('"sessionId":"s-1"', `"sessionId":"${sessionId}"`)}\n`),
    );
  });

  it("[C32] are replayed byte for byte as they came", async () => {
    const { hall, client, sessionId } = await beginEchoing();
    await client.prompt(sessionId, [{ burst: { count: 20 } }, { think: "hm" }, { plan: ["a"] }]);
    const other = await joined(hall, sessionId);
    expect(other.updateBytes(sessionId).equals(client.updateBytes(sessionId))).toBe(true);
  });

  it("[C33] that an agent sends after its answer still come, after the client's answer", async () => {
    const { client, sessionId } = await converse();
    const id = client.nextId;
    await client.prompt(sessionId, [
      { say: "turn" },
      { late: { sessionUpdate: "session_info_update", title: "Late" } },
    ]);
    await client.sees("session_info_update");
    expect(inOrder(client).slice(-2)).toEqual([`answer ${id}`, "session/update"]);
  });

  it("foreign fields of the turn's result pass through", async () => {
    const usage = { totalTokens: 5, inputTokens: 2 };
    const { client, sessionId } = await converse({ foreignFields: { "session/prompt": { usage } } });
    expect(await client.prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn", usage });
  });

  it("foreign notifications of the agent come to its clients as they are", async () => {
    const { client, sessionId } = await converse();
    await client.prompt(sessionId, [{ notify: { method: "_vendor/status", params: { x: [1] } } }]);
    expect(client.messages).toContainEqual({ jsonrpc: "2.0", method: "_vendor/status", params: { x: [1] } });
  });
});

describe("an agent that misbehaves", () => {
  // ACP leaves the code open. -32603 would do; the hall says -32000 with a kind, except to clients that log in.
  it("[C38] and exits in a turn: the prompt is answered with an error that says so, other sessions live", async () => {
    const { client, sessionId } = await converse();
    const { sessionId: other } = await client.newSession();
    const turn = client.prompt(sessionId, [{ say: "so far" }, { stderr: "out of memory\n" }, { exit: 3 }]);
    await expect(turn).rejects.toMatchObject({
      code: -32000,
      message: expect.stringMatching(/^[^\n]+$/),
      data: { kind: "agent_exited", slot: "scripted", exitCode: 3, stderr: expect.anything() },
    });
    expect(client.texts(sessionId)).toBe("so far");
    expect(await client.prompt(other, "hello")).toMatchObject({ stopReason: "end_turn" });
  });

  it("[C38] and dies by a signal: the error names it", async () => {
    const { client, sessionId } = await converse();
    await expect(client.prompt(sessionId, [{ kill: "SIGKILL" }])).rejects.toMatchObject({
      data: { kind: "agent_exited", signal: "SIGKILL" },
    });
  });

  it("[C38] and exits: to a client that logs in by itself the error is -32603, so that it is shown", async () => {
    const hall = await hallWith();
    const client = await hall.connect();
    await client.initialize({ clientCapabilities: { auth: { terminal: true } } });
    const { sessionId } = await client.newSession();
    await expect(client.prompt(sessionId, [{ exit: 1 }])).rejects.toMatchObject({
      code: -32603,
      data: { kind: "agent_exited" },
    });
  });

  it("[C38] and exits with a question open: the question is taken back", async () => {
    const { client, sessionId } = await converse();
    const { wait, open } = gate();
    const turn = client.prompt(sessionId, [
      { together: [{ ask: { tool: { id: "t" } } }, [wait, { exit: 1 }]] },
    ]);
    const { id } = await client.question();
    open();
    await expect(turn).rejects.toMatchObject({ data: { kind: "agent_exited" } });
    expect(client.messages).toContainEqual(
      expect.objectContaining({ method: "$/cancel_request", params: { requestId: id } }),
    );
  });

  it("[C38] and exits: the session goes on with its next prompt, in a new process", async () => {
    const { hall, client, sessionId } = await converse();
    await client.prompt(sessionId, [{ exit: 1 }]).catch(() => {});
    expect(await client.prompt(sessionId, "again")).toMatchObject({ stopReason: "end_turn" });
    expect(hall.agents().length).toBeGreaterThan(1);
  });

  it("[C38] and answers nonsense: that is an error, never a result", async () => {
    const { client, sessionId } = await converse();
    await expect(client.prompt(sessionId, [{ end: { nonsense: true } }])).rejects.toMatchObject({
      data: { kind: "agent_protocol" },
    });
  });

  it("[C39] and prints other things on stdout is understood nevertheless", async () => {
    const { client, sessionId } = await converse({
      stdoutNoise: { atStart: ["Welcome back!", "{not json", ""], inTurn: ["debug: 1", "[]", "42"] },
    });
    await client.prompt(sessionId, "hello");
    expect(client.texts(sessionId)).toBe("echo: hello");
    expect(JSON.stringify(client.messages)).not.toContain("Welcome");
  });

  it("[C39] and writes 10 MB on stderr is not held up", async () => {
    const { client, sessionId } = await converse({ stderrBytes: 10 << 20 });
    await client.prompt(sessionId, [{ stderr: "e".repeat(1 << 20) }, { say: "done" }]);
    expect(client.texts(sessionId)).toBe("done");
  });

  it("[C39] and prints answers without an id is understood nevertheless", async () => {
    const { client, sessionId } = await converse();
    const raw = '{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"}}';
    await client.prompt(sessionId, [{ raw }, { say: "done" }]);
    expect(client.texts(sessionId)).toBe("done");
  });

  it("and never asked to run two turns at once, runs them one after another", async () => {
    const { client, sessionId } = await converse();
    const turns = ["one", "two", "three"].map((text) => client.prompt(sessionId, text));
    for (const turn of turns) expect(await turn).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("echo: oneecho: twoecho: three");
  });
});

describe("a client that comes and goes", () => {
  // A hall drops no slow client: it lags behind on disk, and gets every line once it reads.
  it("[C40] or does not read: nobody waits for it, and it misses nothing", async () => {
    const { hall, client: slow, sessionId } = await converse();
    const quick = await joined(hall, sessionId);
    slow.stopReading();
    const id = slow.nextId;
    void slow.prompt(sessionId, [{ flood: { bytes: 24 << 20, size: 2048 } }, { say: "the end" }]);
    await quick.hears("the end");
    const { sessionId: other } = await quick.newSession();
    await quick.prompt(other, "hello");
    expect(slow.received.length).toBeLessThan(quick.received.length);
    slow.readAgain();
    await slow.answerTo(id);
    expect(slow.texts(sessionId)).toBe(quick.texts(sessionId));
    lastIsAnswerTo(slow, id);
  });

  it("or does not read while megabytes come that are in no journal: it is disconnected, the others get them", async () => {
    const { hall, client, sessionId } = await converse();
    const slow = await joined(hall, sessionId);
    slow.stopReading();
    const status: Step = { notify: { method: "_vendor/status", params: { text: "x".repeat(1 << 19) } } };
    await client.prompt(sessionId, [{ flood: { bytes: 12 << 20, size: 2048 } }, ...Array(20).fill(status)]);
    expect(client.messages.filter(({ method }) => method === "_vendor/status")).toHaveLength(20);
    await eventually(() => hall.service.hall.clients.size).toBe(1);
    expect(hall.log.join()).toContain("does not read and is disconnected");
    slow.destroy();
    expect(await client.prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
  });

  it("[C41] in a turn: it goes on, and a load brings what was missed", async () => {
    const { hall, client, sessionId } = await converse();
    const { wait, reached, open } = gate();
    void client.prompt(sessionId, [{ say: "before " }, wait, { say: "after" }]);
    await reached();
    await client.close();
    const back = await hall.connect();
    await back.initialize();
    open();
    await back.load(sessionId);
    await back.hears("after");
    expect(back.texts(sessionId)).toBe("before after");
  });

  it("[C41] in a turn: a resume brings only what comes after it", async () => {
    const { hall, client, sessionId } = await converse();
    const { wait, reached, open } = gate();
    void client.prompt(sessionId, [{ say: "before " }, wait, { say: "after" }]);
    await reached();
    await client.close();
    const back = await hall.connect();
    await back.initialize();
    await back.resume(sessionId);
    open();
    await back.hears("after");
    expect(back.texts(sessionId)).toBe("after");
  });

  it("[C41] in a turn, where the slot says so: the turn is cancelled", async () => {
    const { hall, client, sessionId } = await converse({}, { slot: { on_disconnect: "cancel" } });
    const { wait, reached } = gate();
    void client.prompt(sessionId, [{ say: "before" }, wait, { say: "after" }]);
    await reached();
    await client.close();
    const back = await hall.connect();
    await back.initialize();
    await back.load(sessionId);
    // Its next turn runs: the old one is over.
    expect(await back.prompt(sessionId, "next")).toMatchObject({ stopReason: "end_turn" });
    expect(back.texts(sessionId)).toBe("beforeecho: next");
  });
});

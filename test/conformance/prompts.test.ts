import type { ContentBlock } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { converse, joined, promptsTo, toAgents } from "../doubles/conversation.ts";
import { gate } from "../doubles/gate.ts";
import { startHall } from "../doubles/start-hall.ts";

const text = (words: string): ContentBlock => ({ type: "text", text: words });
const image: ContentBlock = { type: "image", data: "AAAA", mimeType: "image/png" };
const audio: ContentBlock = { type: "audio", data: "AAAA", mimeType: "audio/wav" };
const link: ContentBlock = { type: "resource_link", name: "notes", uri: "file:///notes.md" };
const embedded: ContentBlock = {
  type: "resource",
  resource: { uri: "file:///a.txt", text: "embedded words", mimeType: "text/plain" },
};
const blob: ContentBlock = {
  type: "resource",
  resource: { uri: "file:///a.bin", blob: "AAAA", mimeType: "application/octet-stream" },
};

/** What the last prompt was when it reached the agent. */
function lastPrompt(hall: Parameters<typeof toAgents>[0]): unknown {
  const { params } = toAgents(hall).findLast(({ method }) => method === "session/prompt") ?? {};
  return Object(params).prompt;
}

describe("a prompt", () => {
  it("[C34, ACP-INFO-UNKNOWNSESSION-001, NG-51] in a session that nobody knows is -32002 with its id", async () => {
    const { client } = await converse();
    await expect(client.prompt("no such session", "hello")).rejects.toMatchObject({
      code: -32002,
      data: { sessionId: "no such session" },
    });
  });

  it.each(["../../etc/passwd", "", "a/b", "\0", "x".repeat(5000)])(
    "[C34] in a session with the id %j is -32002 like any other that is unknown",
    async (sessionId) => {
      const { client } = await converse();
      await expect(client.prompt(sessionId, "hello")).rejects.toMatchObject({ code: -32002 });
    },
  );

  it("[C34, NG-50] without a session, or without a prompt, is -32602", async () => {
    const { client, sessionId } = await converse();
    for (const params of [
      { prompt: [] },
      { sessionId },
      { sessionId, prompt: "hello" },
      { sessionId: 5, prompt: [] },
      { sessionId, prompt: [{ text: "a block without a type" }] },
    ]) {
      await expect(client.request("session/prompt", params)).rejects.toMatchObject({ code: -32602 });
    }
  });

  // Elsewhere a closed session is gone. The hall keeps it: a prompt attaches its client again.
  it("[C34] in a session that was closed runs, and in one that was deleted is -32002", async () => {
    const { client, sessionId } = await converse();
    await client.prompt(sessionId, "one");
    await client.closeSession(sessionId);
    expect(await client.prompt(sessionId, [{ say: "two" }])).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("echo: onetwo");
    await client.deleteSession(sessionId);
    await expect(client.prompt(sessionId, "three")).rejects.toMatchObject({ code: -32002 });
  });

  it("from a client that is not attached attaches it, from now on", async () => {
    const { hall, client, sessionId } = await converse();
    await client.prompt(sessionId, "one");
    const other = await hall.connect();
    await other.initialize();
    await other.prompt(sessionId, [{ say: "two" }]);
    expect(other.texts(sessionId)).toBe("two");
    await client.hears("two");
  });

  // ACP says nothing about it; there would be nothing to run, to list or to show.
  it("[C36] without a block is -32602, each time, and no agent hears of it", async () => {
    const { hall, client, sessionId } = await converse();
    for (let n = 0; n < 2; n += 1) {
      await expect(client.promptWith(sessionId, [])).rejects.toMatchObject({ code: -32602 });
    }
    expect(promptsTo(hall)).toEqual([]);
  });

  it("answers with its turn's id and with a place behind its last line", async () => {
    const { client, sessionId } = await converse();
    const first = await client.prompt(sessionId, "one");
    const second = await client.prompt(sessionId, "two");
    expect(first._meta).toMatchObject({ "hall/turn": expect.any(String), "hall/cursor": expect.any(Number) });
    expect(second._meta?.["hall/turn"]).not.toBe(first._meta?.["hall/turn"]);
    expect(Number(second._meta?.["hall/cursor"])).toBeGreaterThan(Number(first._meta?.["hall/cursor"]));
  });

  it("is told to the others as the user's words, each with its turn, and to its sender only if it asks for that", async () => {
    const { hall, client, sessionId } = await converse();
    const other = await joined(hall, sessionId);
    const echoing = await joined(hall, sessionId, { _meta: { "hall/echo": true } });
    const { _meta } = await client.prompt(sessionId, "by the first");
    await echoing.prompt(sessionId, "by the echoing");
    await other.saidMeanwhile();
    expect(other.userTexts(sessionId)).toBe("by the firstby the echoing");
    expect(echoing.userTexts(sessionId)).toBe("by the firstby the echoing");
    expect(client.userTexts(sessionId)).toBe("by the echoing");
    const told = other.messages.find(({ params }) => JSON.stringify(params)?.includes("by the first"));
    expect(told).toHaveProperty(["params", "_meta", "hall/turn"], _meta?.["hall/turn"]);
  });
});

describe("what a prompt holds", () => {
  it("[ACP-PROMPT-003] may be a link beside text", async () => {
    const { client, sessionId } = await converse({ capabilities: {} });
    expect(await client.promptWith(sessionId, [text("see"), link])).toMatchObject({ stopReason: "end_turn" });
  });

  it.each([
    ["[ACP-PROMPTCAP-001] an image", { image: true }, image],
    ["[ACP-PROMPTCAP-002] audio", { audio: true }, audio],
    ["[ACP-PROMPTCAP-003] an embedded resource", { embeddedContext: true }, embedded],
  ])("%s reaches an agent that takes it, as it is", async (_name, promptCapabilities, block) => {
    const { hall, client, sessionId } = await converse({ capabilities: { promptCapabilities } });
    expect(await client.promptWith(sessionId, [text("see"), block])).toMatchObject({
      stopReason: "end_turn",
    });
    expect(lastPrompt(hall)).toEqual([text("see"), block]);
  });

  it.each([
    ["an image", image],
    ["audio", audio],
  ])("[C35] %s for an agent that cannot take it is -32602 and names the block", async (_name, block) => {
    const { hall, client, sessionId } = await converse({ capabilities: {} });
    await expect(client.promptWith(sessionId, [text("see"), block])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/1/),
    });
    expect(promptsTo(hall)).toEqual([]);
  });

  it("becomes text where the agent takes no embedded resources: their words as they are, a blob as a link", async () => {
    const { hall, client, sessionId } = await converse({ capabilities: {} });
    await client.promptWith(sessionId, [text("see"), embedded, blob]);
    expect(lastPrompt(hall)).toEqual([
      text("see"),
      text("embedded words"),
      { type: "text", text: expect.stringMatching(/^\[[^\]]+\]\(file:\/\/\/a\.bin\)$/) },
    ]);
  });
});

describe("how a turn ends", () => {
  it.each(["end_turn", "max_tokens", "max_turn_requests", "refusal"])(
    "with %s as the agent says",
    async (stopReason) => {
      const { client, sessionId } = await converse();
      expect(await client.prompt(sessionId, [{ end: stopReason }])).toMatchObject({ stopReason });
    },
  );

  it("with the agent's own error unchanged, and never as text", async () => {
    const { client, sessionId } = await converse();
    const error = { code: 400, message: "The model said no.", data: { errorKind: "bad_request", n: [1] } };
    await expect(client.prompt(sessionId, [{ error }])).rejects.toMatchObject(error);
    expect(client.texts(sessionId)).toBe("");
  });

  it("with no tool call left open: what the agent forgot is said to have failed, before the answer", async () => {
    const { client, sessionId } = await converse();
    const id = client.nextId;
    await client.prompt(sessionId, [
      { tool: { id: "done", title: "A", status: "in_progress" } },
      { tool: { id: "open", title: "B", status: "pending" } },
      { toolUpdate: { id: "done", status: "completed" } },
    ]);
    const closed = client.messages.filter(({ params }) => JSON.stringify(params)?.includes("hall/closed"));
    expect(closed).toMatchObject([
      { params: { update: { sessionUpdate: "tool_call_update", toolCallId: "open", status: "failed" } } },
    ]);
    expect(client.messages.at(-1)?.id).toBe(id);
  });
});

describe("prompts that wait", () => {
  // Elsewhere the second is refused: a person who types ahead would have to type it again.
  it("[C37, NG-52] run one after another in their session, each answered once and in order", async () => {
    const { hall, client, sessionId } = await converse();
    const { wait, reached, open } = gate();
    const answered: string[] = [];
    const first = client.prompt(sessionId, [wait, { say: "first." }]).then(() => answered.push("first"));
    const second = client.prompt(sessionId, [{ say: "second." }]).then(() => answered.push("second"));
    await reached();
    expect(await client.saidMeanwhile()).toEqual([]);
    expect(promptsTo(hall)).toHaveLength(1);
    open();
    await Promise.all([first, second]);
    expect(answered).toEqual(["first", "second"]);
    expect(client.texts(sessionId)).toBe("first.second.");
  });

  it("[C37, NG-56] are refused when too many wait: queue_full, with the limit", async () => {
    const { client, sessionId } = await converse({}, { roster: { queue: { limit: 2 } } });
    const { wait, reached, open } = gate();
    const turns = [
      client.prompt(sessionId, [wait]),
      client.prompt(sessionId, "1"),
      client.prompt(sessionId, "2"),
    ];
    await reached();
    await expect(client.prompt(sessionId, "3")).rejects.toMatchObject({
      code: -32000,
      data: { kind: "queue_full", limit: 2 },
    });
    open();
    for (const turn of turns) expect(await turn).toMatchObject({ stopReason: "end_turn" });
  });

  it("in different sessions run at the same time, as many as their slot takes", async () => {
    const { hall, client, sessionId } = await converse({}, { slot: { concurrency: 2 } });
    const sessions = [
      sessionId,
      (await client.newSession()).sessionId,
      (await client.newSession()).sessionId,
    ];
    const gates = [gate(), gate(), gate()];
    const turns = sessions.map((id, n) => client.prompt(id, [gates[n]?.wait ?? { say: "" }]));
    await gates[0]?.reached();
    await gates[1]?.reached();
    expect(promptsTo(hall)).toHaveLength(2);
    gates[0]?.open();
    await gates[2]?.reached();
    for (const one of gates) one.open();
    await Promise.all(turns);
  });

  it.each([
    ["1solo", 1],
    ["2pair", 2],
  ])("in the slot %s run %d at a time, whatever its concurrency says", async (name, most) => {
    const hall = await startHall({ slots: { [name]: { ways: {}, concurrency: 4 } } });
    const client = await hall.connect();
    await client.initialize();
    const gates = Array.from({ length: most + 1 }, gate);
    const turns = [];
    for (const { wait } of gates) turns.push(client.prompt((await client.newSession()).sessionId, [wait]));
    for (const one of gates.slice(0, most)) await one.reached();
    expect(promptsTo(hall)).toHaveLength(most);
    gates[0]?.open();
    await gates[most]?.reached();
    for (const one of gates) one.open();
    await Promise.all(turns);
  });
});

describe("a prompt under a key", () => {
  it("that is sent again gets the outcome of the first, after its updates, and runs once", async () => {
    const { hall, client, sessionId } = await converse();
    const answer = await client.prompt(sessionId, "hello", { "hall/turn": "k" });
    expect(answer._meta?.["hall/turn"]).toBe("k");
    expect(await client.prompt(sessionId, "hello", { "hall/turn": "k" })).toEqual(answer);
    expect(promptsTo(hall)).toHaveLength(1);
  });

  it("that is sent again while it runs, on another connection, is answered there", async () => {
    const { hall, client, sessionId } = await converse();
    const { wait, reached, open } = gate();
    const steps = [wait, { say: "done" }];
    void client.prompt(sessionId, steps, { "hall/turn": "k" });
    await reached();
    await client.close();
    const back = await joined(hall, sessionId);
    const again = back.prompt(sessionId, steps, { "hall/turn": "k" });
    open();
    expect(await again).toMatchObject({ stopReason: "end_turn" });
    expect(back.texts(sessionId)).toBe("done");
    expect(promptsTo(hall)).toHaveLength(1);
  });

  it("gets its error again too", async () => {
    const { client, sessionId } = await converse();
    const steps = [{ error: { code: 7, message: "No." } }];
    for (let n = 0; n < 2; n += 1) {
      await expect(client.prompt(sessionId, steps, { "hall/turn": "k" })).rejects.toMatchObject({ code: 7 });
    }
  });

  it("that was used for other words is refused: key_reused", async () => {
    const { client, sessionId } = await converse();
    await client.prompt(sessionId, "hello", { "hall/turn": "k" });
    await expect(client.prompt(sessionId, "other", { "hall/turn": "k" })).rejects.toMatchObject({
      code: -32602,
      data: { kind: "key_reused" },
    });
  });

  it("is one of its session: another session may use it too", async () => {
    const { client, sessionId } = await converse();
    const { sessionId: other } = await client.newSession();
    await client.prompt(sessionId, "hello", { "hall/turn": "k" });
    await client.prompt(other, "other", { "hall/turn": "k" });
    expect(client.texts(other)).toBe("echo: other");
  });
});

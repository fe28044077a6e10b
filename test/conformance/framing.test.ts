import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import type { AcpClient } from "../doubles/acp-client.ts";
import { converse, hallWith, inOrder } from "../doubles/conversation.ts";
import type { Message } from "../doubles/message.ts";

const line = (fields: object): string => `${JSON.stringify({ jsonrpc: "2.0", ...fields })}\n`;
const initialize = (id: number): string =>
  line({ id, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } });
const list = (id: unknown): string => line({ id, method: "session/list", params: {} });

async function initialized(roster = {}): Promise<AcpClient> {
  const hall = await hallWith({}, { roster });
  const client = await hall.connect();
  await client.initialize();
  return client;
}

/** What a line is answered with, and that the connection is none the worse for it. */
async function answerTo(client: AcpClient, bytes: string | Buffer): Promise<Message[]> {
  client.raw(bytes);
  const answers = await client.saidMeanwhile();
  await client.list();
  return answers;
}

const refusal = (code: number) => ({ id: null, error: { code, message: expect.any(String) } });

/** Writes bytes in so many pieces, each its own segment. */
async function inPieces(client: AcpClient, bytes: Buffer, pieces: number): Promise<void> {
  const size = Math.ceil(bytes.length / pieces);
  for (let at = 0; at < bytes.length; at += size) {
    client.raw(bytes.subarray(at, at + size));
    await new Promise(setImmediate);
  }
}

describe("what a line is", () => {
  it("[C1, ACP-INFO-PARSE-001, NG-1] a line that is no JSON is answered -32700 without an id, and the connection stays", async () => {
    const client = await initialized();
    expect(await answerTo(client, '{"jsonrpc":\n')).toMatchObject([refusal(-32700)]);
  });

  it("[C2, NG-8] blank lines, CRLF and a byte order mark at the start are as if they were not there", async () => {
    const hall = await hallWith();
    const client = await hall.connect();
    client.raw(`\ufeff${initialize(1).trimEnd()}\r\n\n \t\n\r\n${list(2)}`);
    expect(await client.answerTo(1)).toHaveProperty("result.protocolVersion", 1);
    expect(await client.answerTo(2)).toHaveProperty("result.sessions");
    expect(await client.saidMeanwhile()).toEqual([]);
  });

  it("[C3] a message in fifty segments is one message", async () => {
    const client = await initialized();
    await inPieces(client, Buffer.from(line({ id: "whole", method: "session/list", params: {} })), 50);
    expect(await client.answerTo("whole")).toHaveProperty("result.sessions");
  });

  it("[C3] fifty messages in one segment are answered in their order", async () => {
    const client = await initialized();
    const ids = Array.from({ length: 50 }, (_, n) => `m${n}`);
    client.raw(ids.map(list).join(""));
    await client.answerTo("m49");
    const answered = client.messages.map(({ id }) => id).filter((id) => typeof id === "string");
    expect(answered).toEqual(ids);
  });

  it("[C4] a character cut into its bytes by segments stays whole", async () => {
    const { client, sessionId } = await converse();
    const text = "grüße 🙂 \u2028 日本";
    const params = { sessionId, prompt: [{ type: "text", text }] };
    await inPieces(client, Buffer.from(line({ id: "p", method: "session/prompt", params })), 400);
    await client.answerTo("p");
    expect(client.texts(sessionId)).toBe(`echo: ${text}`);
  });

  it("[C5] a line that is not UTF-8 is answered -32700 without an id, and the connection stays", async () => {
    const client = await initialized();
    const broken = Buffer.from(list("x")).fill(0xff, 12, 14);
    expect(await answerTo(client, broken)).toMatchObject([refusal(-32700)]);
  });

  it.each([
    ["a batch of one", `[${list(1).trimEnd()}]\n`],
    ["an empty batch", "[]\n"],
  ])("[C9, NG-2] %s is answered with one -32600 without an id, and not carried out", async (_name, bytes) => {
    const client = await initialized();
    expect(await answerTo(client, bytes)).toMatchObject([refusal(-32600)]);
  });

  it.each(["42\n", '"x"\n', "null\n", "true\n"])(
    "[C10, NG-2] the scalar %j is answered -32600 without an id",
    async (bytes) => {
      const client = await initialized();
      expect(await answerTo(client, bytes)).toMatchObject([refusal(-32600)]);
    },
  );

  // JSON-RPC leaves open whether a readable id is used here; the hall never trusts one.
  it.each([
    ["no jsonrpc", { id: 7, method: "session/list" }],
    ["another jsonrpc", { jsonrpc: "1.0", id: 7, method: "session/list" }],
    ["a jsonrpc that is a number", { jsonrpc: 2, id: 7, method: "session/list" }],
  ])(
    "[C11, ACP-INFO-INVALIDREQ-001] a message with %s is answered -32600 without an id",
    async (_name, message) => {
      const client = await initialized();
      expect(await answerTo(client, `${JSON.stringify(message)}\n`)).toMatchObject([refusal(-32600)]);
    },
  );

  it("[C12, ACP-TRANSPORT-001, ACP-TRANSPORT-002, ACP-SCHEMA-001, ACP-SCHEMA-002] every line of a conversation is one valid message in UTF-8", async () => {
    const { client, sessionId } = await converse({
      modes: { currentModeId: "ask", availableModes: [{ id: "ask", name: "Ask" }] },
    });
    client.answerWith(({ method }) =>
      method === "session/request_permission"
        ? { outcome: { outcome: "selected", optionId: "allow" } }
        : { error: { code: -32601, message: "Not here." } },
    );
    await client.prompt(sessionId, [
      { say: "one\ntwo \u2028 🙂" },
      { think: "hm" },
      { plan: ["one"] },
      { tool: { id: "t", title: "Run", kind: "execute", status: "pending" } },
      { ask: { tool: { id: "t", title: "Run" } } },
      { toolUpdate: { id: "t", status: "completed" } },
    ]);
    await client.setMode(sessionId, "ask");
    await client.load(sessionId);
    await client.list();
    await client.request("foo/bar").catch(() => {});
    await client.closeSession(sessionId);
    await client.deleteSession(sessionId);
    for (const { bytes } of client.received) expect(bytes.indexOf(0x0a)).toBe(bytes.length - 1);
    expect(client.check.violations).toEqual([]);
  });

  it("[C13] of a key that is there twice the last one counts", async () => {
    const client = await initialized();
    client.raw('{"jsonrpc":"2.0","id":"d","method":"foo/bar","method":"session/list","params":{}}\n');
    expect(await client.answerTo("d")).toHaveProperty("result.sessions");
  });

  it("[C13] __proto__ is a key like any other, and pollutes nothing", async () => {
    const client = await initialized();
    client.raw(
      '{"jsonrpc":"2.0","id":"p","method":"session/list","params":{"__proto__":{"polluted":1}},"__proto__":{"polluted":1}}\n',
    );
    expect(await client.answerTo("p")).toHaveProperty("result.sessions");
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  it("[C13] a hundred thousand nested arrays are just another line", async () => {
    const client = await initialized();
    const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    client.raw(`{"jsonrpc":"2.0","id":"n","method":"session/list","params":{"x":${nested}}}\n`);
    expect(await client.answerTo("n")).toHaveProperty("result.sessions");
  });

  it("[ACP-JSONRPC-005, ACP-ERROR-001] after each kind of bad line the connection is as good as new", async () => {
    const client = await initialized();
    for (const bytes of ["{\n", "[]\n", "1\n", '{"id":1}\n', line({ id: 1.5, method: "session/list" })]) {
      const [answer, ...others] = await answerTo(client, bytes);
      expect(others).toEqual([]);
      expect(answer?.error?.message).toMatch(/^[^\n]+$/);
    }
  });
});

describe("how long a line may be", () => {
  const limit = 1 << 20;
  const roster = { limits: { line: "1MiB" } };

  /** A request of exactly so many bytes, its newline not counted. */
  const requestOf = (bytes: number): string => {
    const bare = line({ id: "big", method: "session/list", params: { pad: "" } }).length - 1;
    return line({ id: "big", method: "session/list", params: { pad: "x".repeat(bytes - bare) } });
  };

  it("[C7] a line as long as the limit is taken", async () => {
    const client = await initialized(roster);
    client.raw(requestOf(limit));
    expect(await client.answerTo("big")).toHaveProperty("result.sessions");
  });

  it("[C6] a line one byte longer is answered -32600 without an id, then the connection is closed; others go on", async () => {
    const hall = await hallWith({}, { roster });
    const [client, other] = [await hall.connect(), await hall.connect()];
    await client.initialize();
    await other.initialize();
    client.raw(requestOf(limit + 1));
    await client.closed;
    const expected = {
      ...refusal(-32600),
      error: { message: expect.stringContaining(`exceeds ${limit} bytes`) },
    };
    expect(client.messages.at(-1)).toMatchObject(expected);
    await other.list();
  });

  it("[C6] a line without an end is refused as soon as it is too long", async () => {
    const client = await initialized(roster);
    client.raw(Buffer.alloc(limit + 1, "x"));
    await client.closed;
    expect(client.messages.at(-1)).toMatchObject(refusal(-32600));
  });

  it("[C6] until initialize is accepted a line has 64 KiB at most", async () => {
    const hall = await hallWith();
    const client = await hall.connect();
    client.raw(Buffer.alloc((64 << 10) + 1, "x"));
    await client.closed;
    expect(client.messages).toMatchObject([
      { id: null, error: { code: -32600, message: expect.stringContaining("exceeds 65536 bytes") } },
    ]);
  });
});

describe("how a connection begins and ends", () => {
  it("[C8] initialize and session/new in one segment both succeed, in order", async () => {
    const hall = await hallWith();
    const client = await hall.connect();
    const params = { cwd: hall.work, mcpServers: [] };
    client.raw(initialize(1) + line({ id: 2, method: "session/new", params }));
    await client.answerTo(2);
    expect(inOrder(client)).toEqual(["answer 1", "answer 2"]);
    expect(await client.answerTo(2)).toHaveProperty("result.sessionId");
  });

  it("[C8] at the end of its side what a client sent is still answered, a last line without a newline too", async () => {
    const hall = await hallWith();
    const client = await hall.connect();
    client.raw(initialize(1) + list(2).trimEnd());
    client.end();
    await client.closed;
    expect(inOrder(client)).toEqual(["answer 1", "answer 2"]);
  });

  it("[C8] an end in the middle of a line closes the connection, with at most a word about that line", async () => {
    const hall = await hallWith();
    const client = await hall.connect();
    client.raw(`${initialize(1)}{"jsonrpc":"2.0","id":2,"meth`);
    client.end();
    await client.closed;
    const others = client.messages.filter(({ id }) => id !== 1);
    expect(client.messages).toHaveLength(others.length + 1);
    expect(others.length).toBeLessThanOrEqual(1);
    for (const { id, error } of others) expect([id, error?.code]).toEqual([null, -32700]);
  });

  it("[C8] a turn that runs at the end of its client's side goes on, and its answer goes out before the close", async () => {
    const { client, sessionId } = await converse();
    const turn = client.prompt(sessionId, "hello");
    client.end();
    expect(await turn).toMatchObject({ stopReason: "end_turn" });
    await client.closed;
    expect(client.texts(sessionId)).toBe("echo: hello");
  });

  it.each([
    ["HTTP", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    ["HTTP of a browser that posts", "POST /acp HTTP/1.1\r\nHost: localhost\r\n\r\n{}"],
    ["the framing of a language server", 'Content-Length: 40\r\n\r\n{"jsonrpc":"2.0"}'],
  ])("a connection that begins with %s gets one clear line and is closed", async (_name, bytes) => {
    const hall = await hallWith();
    const client = await hall.connect();
    client.raw(bytes);
    await client.closed;
    expect(client.messages).toMatchObject([{ id: null, error: { message: expect.any(String) } }]);
  });

  it("a connection that brings no initialize within 10 s is closed", async () => {
    const clock = new HandClock();
    const hall = await hallWith({}, { clock });
    const client = await hall.connect();
    client.raw("{\n");
    await client.answerTo(null);
    clock.advance(9_999);
    expect(await client.saidMeanwhile()).toEqual([]);
    clock.advance(1);
    await client.closed;
  });
});

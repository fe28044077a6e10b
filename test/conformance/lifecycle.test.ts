import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { hallWith, toAgents } from "../doubles/conversation.ts";
import { eventually } from "../doubles/eventually.ts";
import { startHall } from "../doubles/start-hall.ts";

const refusedWith = (code: number) => ({ code, message: expect.any(String) });

describe("initialize", () => {
  it.each([1, 0, 2, 999, 65_535])(
    "[C21, ACP-INIT-001, ACP-INIT-002, ACP-INIT-003] is answered with version 1 when it asks for %d",
    async (protocolVersion) => {
      const client = await (await hallWith()).connect();
      expect(await client.initialize({ protocolVersion })).toMatchObject({ protocolVersion: 1 });
    },
  );

  it.each([-1, 65_536, 1.5, "1", null, undefined])(
    "[C21, NG-16] is refused with -32602 when it asks for %j, and a proper one works afterwards",
    async (protocolVersion) => {
      const client = await (await hallWith()).connect();
      await expect(client.initialize({ protocolVersion })).rejects.toMatchObject(refusedWith(-32602));
      expect(await client.initialize()).toMatchObject({ protocolVersion: 1 });
    },
  );

  it.each([
    "session/new",
    "session/load",
    "session/resume",
    "session/list",
    "session/prompt",
    "session/close",
    "session/delete",
    "session/set_mode",
    "session/set_config_option",
  ])("[C22, NG-15] comes first: %s before it is answered -32600", async (method) => {
    const client = await (await hallWith()).connect();
    const params = { sessionId: "s", cwd: "/", mcpServers: [], prompt: [] };
    await expect(client.request(method, params)).rejects.toMatchObject(refusedWith(-32600));
    expect(await client.initialize()).toMatchObject({ protocolVersion: 1 });
  });

  it("[C22] comes first: a notification before it is ignored", async () => {
    const client = await (await hallWith()).connect();
    client.cancel("some session");
    await client.initialize();
    expect(client.messages).toHaveLength(1);
  });

  // Elsewhere it is refused. An editor that lost track of its own start is told again, and nothing changes.
  it("[C23, NG-17] a second time gets the same answer, and changes no capability of the first", async () => {
    const hall = await hallWith();
    const client = await hall.connect();
    const first = await client.initialize({ clientCapabilities: { fs: { readTextFile: true } } });
    const { sessionId } = await client.newSession();
    expect(await client.initialize({ clientCapabilities: {} })).toEqual(first);
    client.answerWith(() => ({ content: "from the client" }));
    await client.prompt(sessionId, [{ read: join(hall.work, "f") }]);
    expect(client.texts(sessionId)).toBe("read: from the client");
  });

  it.each([
    [{ clientCapabilities: { fs: "yes", terminal: 1, elicitation: [], invented: { x: 1 } } }],
    [{ clientCapabilities: null }],
    [{ clientCapabilities: undefined }],
    [{ clientInfo: { name: "x", version: "1", invented: true }, invented: 1 }],
  ])(
    "[C24] with capabilities that nobody knows or that are no proper ones (%j) is no error",
    async (params) => {
      const client = await (await hallWith()).connect();
      expect(await client.initialize(params)).toMatchObject({ protocolVersion: 1 });
    },
  );

  it("[C24] capabilities of a wrong type are not there: the client is not called for them", async () => {
    const hall = await hallWith({}, { slot: { fs: "client" } });
    const client = await hall.connect();
    await client.initialize({ clientCapabilities: { fs: { readTextFile: "true" } } });
    const { sessionId } = await client.newSession();
    await client.prompt(sessionId, [{ read: join(hall.work, "f") }]);
    expect(client.messages.filter(({ method }) => method === "fs/read_text_file")).toEqual([]);
  });

  it("[C25, ACP-INIT-004] says who answers: the hall, with a version", async () => {
    const client = await (await hallWith()).connect();
    const { agentInfo } = await client.initialize();
    expect(agentInfo).toMatchObject({ name: "hall", title: expect.any(String), version: expect.any(String) });
  });

  it("offers what the hall does for every agent, whatever the agent can itself", async () => {
    const client = await (await hallWith({ capabilities: {} })).connect();
    const { agentCapabilities } = await client.initialize();
    expect(agentCapabilities).toMatchObject({
      loadSession: true,
      promptCapabilities: { embeddedContext: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
    });
    expect(agentCapabilities?.promptCapabilities?.image ?? false).toBe(false);
  });

  it("offers the prompt and MCP capabilities of the slot's agent", async () => {
    const capabilities = { promptCapabilities: { image: true }, mcpCapabilities: { http: true } };
    const client = await (await hallWith({ capabilities })).connect();
    expect((await client.initialize()).agentCapabilities).toMatchObject({
      promptCapabilities: { image: true, embeddedContext: true },
      mcpCapabilities: { http: true },
    });
  });

  it("is answered without the agent's word when that takes more than 10 s", async () => {
    const clock = new HandClock();
    const hall = await hallWith({ neverInitialize: true }, { clock });
    const client = await hall.connect();
    const answer = client.initialize();
    await eventually(() => toAgents(hall).length).toBe(1);
    clock.advance(10_000);
    expect(await answer).toMatchObject({ protocolVersion: 1, agentCapabilities: { loadSession: true } });
  });

  it("starts no agent for a client that is only there for the hall", async () => {
    const hall = await hallWith();
    const client = await hall.connect();
    await client.initialize({ _meta: { "hall/control": true } });
    expect(hall.service.hall.places.taken).toBe(0);
    const other = await hall.connect();
    await other.initialize();
    expect(hall.service.hall.places.taken).toBe(1);
  });

  it("names the slots, the default one first", async () => {
    const hall = await startHall({
      slots: {
        zeta: { ways: {}, title: "The first" },
        alpha: { ways: {} },
      },
    });
    const client = await hall.connect();
    const { agentCapabilities } = await client.initialize();
    expect(agentCapabilities?._meta?.["hall/slots"]).toMatchObject([
      { name: "zeta", title: "The first" },
      { name: "alpha" },
    ]);
  });
});

describe("methods", () => {
  // Real agents still answer session/set_model, which ACP took out; a hall offers no such thing.
  it.each(["session/fork", "session/set_model", "foo/bar", "_x/y", "initialized", ""])(
    "[C26, C28, ACP-JSONRPC-004, ACP-EXT-001, NG-7] that are not offered, as %j, are answered -32601 under their id",
    async (method) => {
      const client = await (await hallWith()).connect();
      await client.initialize();
      await expect(client.request(method, {})).rejects.toMatchObject(refusedWith(-32601));
    },
  );

  it.each(["foo/bar", "_x/y", "$/anything", "$/progress", "session/fork"])(
    "[C28, ACP-JSONRPC-003, NG-7] the unknown notification %j is met with silence",
    async (method) => {
      const client = await (await hallWith()).connect();
      await client.initialize();
      client.notify(method, { sessionId: "none" });
      expect(await client.saidMeanwhile()).toEqual([]);
    },
  );

  it("[ACP-JSONRPC-002, NG-3] params that are no object are answered -32602", async () => {
    const client = await (await hallWith()).connect();
    await client.initialize();
    for (const params of ["[]", "5", '"x"']) {
      const since = client.received.length;
      client.raw(`{"jsonrpc":"2.0","id":"p","method":"session/new","params":${params}}\n`);
      expect(await client.answerTo("p", since)).toHaveProperty("error.code", -32602);
    }
  });

  it("[C29] an extension with a session's id reaches its agent, and the answer comes back under the client's id", async () => {
    const client = await (await hallWith()).connect();
    const sessionId = await client.begin();
    const params = { sessionId, n: 1, deep: { a: [1, 2.5, "ü"] } };
    expect(await client.request("_scripted/echo", params)).toMatchObject({
      params: { n: 1, deep: { a: [1, 2.5, "ü"] } },
    });
  });

  it("[C29] an extension's error comes back unchanged, with a code of its own", async () => {
    const client = await (await hallWith()).connect();
    const sessionId = await client.begin();
    const error = { code: 4711, message: "Not today.", data: { errorKind: "odd", list: [1] } };
    await expect(client.request("_scripted/fail", { sessionId, error })).rejects.toMatchObject(error);
    await expect(client.request("_unknown/x", { sessionId })).rejects.toMatchObject(refusedWith(-32601));
  });

  it("[C29] an extension that the agent answers with what is no answer fails, and says so", async () => {
    const client = await (await hallWith()).connect();
    const sessionId = await client.begin();
    await expect(client.request("_scripted/garble", { sessionId })).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining("either a result or an error"),
    });
  });

  it("[C29] what is meant for the hall alone never reaches an agent", async () => {
    const hall = await hallWith();
    const client = await hall.connect();
    const sessionId = await client.begin({ _meta: { "hall/slot": "scripted", keep: "new" } });
    const _meta = { "hall/turn": "key", "hall/other": 1, keep: "me" };
    expect(await client.request("_scripted/echo", { sessionId, _meta })).toMatchObject({
      params: { _meta: { keep: "me" } },
    });
    await client.prompt(sessionId, "hello", _meta);
    expect(JSON.stringify(toAgents(hall))).not.toContain('"hall/');
  });

  it("[ACP-META-001] _meta of a prompt is accepted, and what is not the hall's reaches the agent", async () => {
    const hall = await hallWith();
    const client = await hall.connect();
    const sessionId = await client.begin();
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    expect(await client.prompt(sessionId, "hello", { traceparent })).toMatchObject({
      stopReason: "end_turn",
    });
    expect(JSON.stringify(toAgents(hall))).toContain(traceparent);
  });
});

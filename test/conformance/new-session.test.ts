import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hallWith, toAgents } from "../doubles/conversation.ts";
import { startHall } from "../doubles/start-hall.ts";

const twoSlots = { slots: { first: { ways: {} }, second: { ways: {} } } };

async function initialized(ways = {}, options = {}) {
  const hall = await hallWith(ways, options);
  const client = await hall.connect();
  await client.initialize();
  return { hall, client };
}

describe("session/new", () => {
  it("[C27, ACP-SESSION-001, ACP-SESSION-002, NG-23] answers an id of its own for each session, all of one length", async () => {
    const { client } = await initialized({ idPrefix: "s-" });
    const ids = [];
    for (let n = 0; n < 3; n += 1) ids.push((await client.newSession()).sessionId);
    expect(new Set(ids).size).toBe(3);
    expect(new Set(ids.map((id) => id.length)).size).toBe(1);
    // The agents all say "s-1"; no client ever sees that.
    expect(JSON.stringify(client.messages)).not.toContain('"s-1"');
  });

  it.each(["relative/path", "", "./x", "~"])("[C27, NG-24] the relative cwd %j is -32602", async (cwd) => {
    const { client } = await initialized();
    await expect(client.newSession({ cwd })).rejects.toMatchObject({ code: -32602 });
  });

  it("[C27] a cwd that does not exist is -32602 and names it", async () => {
    const { hall, client } = await initialized();
    const cwd = join(hall.folder, "nowhere");
    await expect(client.newSession({ cwd })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(cwd),
    });
  });

  // ACP requires mcpServers and cwd; shipped clients leave them out, and a hall knows what to put there.
  it.each([{ mcpServers: undefined }, { mcpServers: null }])("[C27] %j is no MCP servers", async (params) => {
    const { hall, client } = await initialized();
    await client.newSession(params);
    expect(toAgents(hall).find(({ method }) => method === "session/new")).toMatchObject({
      params: { mcpServers: [] },
    });
  });

  it("[C27, NG-24] a missing cwd is that of the slot", async () => {
    const { hall, client } = await initialized({}, { slot: { cwd: "." } });
    const { sessionId } = await client.newSession({ cwd: undefined });
    await client.prompt(sessionId, [{ tell: "cwd" }]);
    expect(client.texts(sessionId)).toMatch(/^cwd: \//);
    const told = toAgents(hall).find(({ method }) => method === "session/new");
    expect(told).toHaveProperty("params.cwd", client.texts(sessionId).slice("cwd: ".length));
  });

  it.each([5, {}, "x", [{}], [{ name: "x" }], [5]])(
    "[C27] mcpServers that are none, as %j, are -32602",
    async (mcpServers) => {
      const { client } = await initialized();
      await expect(client.newSession({ mcpServers })).rejects.toMatchObject({ code: -32602 });
    },
  );

  it("gives the agent the client's MCP servers as they are", async () => {
    const { client } = await initialized();
    const server = { name: "m", command: "/bin/m", args: ["-x"], env: [{ name: "K", value: "v" }] };
    const { sessionId } = await client.newSession({ mcpServers: [server] });
    await client.prompt(sessionId, [{ tell: "mcpServers" }]);
    expect(client.texts(sessionId)).toBe(`mcpServers: ${JSON.stringify([server])}`);
  });

  it("answers with the slot, and with the name of the journal and a place in it", async () => {
    const { client } = await initialized();
    const { _meta } = await client.newSession();
    expect(_meta).toMatchObject({ "hall/slot": "scripted", "hall/journal": expect.any(String) });
    expect(_meta?.["hall/cursor"]).toBe(0);
  });

  it("answers with the agent's modes and options, and with fields of its own that ACP does not know", async () => {
    const modes = { currentModeId: "ask", availableModes: [{ id: "ask", name: "Ask" }] };
    const models = { currentModelId: "m", availableModels: [{ modelId: "m", name: "M" }] };
    const { client } = await initialized({ modes, foreignFields: { "session/new": { models } } });
    expect(await client.newSession()).toMatchObject({ modes, models });
  });

  it("fails with the agent's own error when that refuses", async () => {
    const { client } = await initialized({
      needsAuth: true,
      authMethods: [{ id: "key", name: "An API key", description: "Of the shop" }],
    });
    await expect(client.newSession()).rejects.toMatchObject({
      code: -32000,
      message: "Authentication required",
      data: { authMethods: [{ id: "key", name: "An API key", description: "Of the shop" }] },
    });
  });

  it("[C33] the session's own updates, written around the agent's answer, come after it to the client", async () => {
    const { client } = await initialized({ commandsWithNew: "both" });
    const since = client.received.length;
    const { sessionId } = await client.newSession();
    await client.saidMeanwhile();
    const [first, ...others] = client.messages.slice(since);
    expect(first).toHaveProperty("result.sessionId", sessionId);
    expect(others.filter(({ method }) => method === "session/update")).toHaveLength(2);
    expect(client.updates(sessionId, since).map(({ sessionUpdate }) => sessionUpdate)).toEqual([
      "available_commands_update",
      "available_commands_update",
    ]);
  });

  it("[C33] updates of sessions that are made at the same time each come to their own client", async () => {
    const hall = await hallWith({ commandsWithNew: "both", idPrefix: "s-" });
    const clients = [await hall.connect(), await hall.connect(), await hall.connect()];
    for (const client of clients) await client.initialize();
    const sessions = await Promise.all(clients.map((client) => client.newSession()));
    for (const [n, client] of clients.entries()) {
      await client.saidMeanwhile();
      const own = sessions[n]?.sessionId;
      const updates = client.messages.filter(({ method }) => method === "session/update");
      expect(updates).toMatchObject([{ params: { sessionId: own } }, { params: { sessionId: own } }]);
    }
  });
});

describe("which slot a new session is in", () => {
  it.each([
    ["the first of the roster", {}, {}, "first"],
    ["that of the connection", { _meta: { "hall/slot": "second" } }, {}, "second"],
    ["that of an older hall's clients", {}, { raiderName: "second" }, "second"],
    ["that which the request names", {}, { _meta: { "hall/slot": "second" } }, "second"],
    [
      "the request's, whatever the others say",
      { _meta: { "hall/slot": "second" } },
      { _meta: { "hall/slot": "first" }, raiderName: "second" },
      "first",
    ],
    [
      "the older name before the connection's",
      { _meta: { "hall/slot": "second" } },
      { raiderName: "first" },
      "first",
    ],
  ])("is %s", async (_name, initialize, params, slot) => {
    const client = await (await startHall(twoSlots)).connect();
    await client.initialize(initialize);
    expect((await client.newSession(params))._meta).toMatchObject({ "hall/slot": slot });
  });

  it.each([{ _meta: { "hall/slot": "third" } }, { raiderName: "third" }])(
    "is an error that lists the names when there is none as in %j",
    async (params) => {
      const client = await (await startHall(twoSlots)).connect();
      await client.initialize();
      await expect(client.newSession(params)).rejects.toMatchObject({
        code: -32602,
        message: expect.stringMatching(/first.*second/),
      });
    },
  );
});

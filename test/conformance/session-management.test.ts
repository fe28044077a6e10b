import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AcpClient } from "../doubles/acp-client.ts";
import { converse, hallWith, inOrder, joined, promptsTo, toAgents } from "../doubles/conversation.ts";
import { eventually } from "../doubles/eventually.ts";
import { gate } from "../doubles/gate.ts";
import type { Ways } from "../doubles/scripted-agent/ways.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

async function initialized(ways: Ways = {}) {
  const hall = await hallWith(ways);
  const client = await hall.connect();
  await client.initialize();
  return { hall, client };
}

/** A session that had a turn, so that it is listed; its agent is let go. */
async function listed(client: AcpClient, text: string, params = {}): Promise<string> {
  const { sessionId } = await client.newSession(params);
  await client.prompt(sessionId, text);
  await client.closeSession(sessionId);
  return sessionId;
}

async function everyPage(client: AcpClient): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | null | undefined;
  do {
    const page = await client.list(cursor ? { cursor } : {});
    pages.push(page.sessions.map(({ sessionId }) => sessionId));
    cursor = page.nextCursor;
  } while (cursor);
  return pages;
}

describe("session/list", () => {
  it("[C61, ACP-LIST-001] is empty where there is nothing", async () => {
    const { client } = await initialized();
    expect(await client.list()).toMatchObject({ sessions: [] });
  });

  it("[C61, ACP-LIST-001] names the newest first, with its cwd, its title and when it last changed", async () => {
    const { hall, client } = await initialized();
    const ids = [await listed(client, "one"), await listed(client, "two"), await listed(client, "three")];
    const { sessions } = await client.list();
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual(ids.toReversed());
    expect(sessions[0]).toMatchObject({ cwd: hall.work, title: "three", updatedAt: expect.any(String) });
    expect(Number.isNaN(Date.parse(String(sessions[0]?.updatedAt)))).toBe(false);
  });

  it("[C61] comes in pages of fifty, each session on one of them", { timeout: 120_000 }, async () => {
    const { client } = await initialized();
    const ids: string[] = [];
    for (let n = 0; n < 51; n += 1) ids.push(await listed(client, `prompt ${n}`));
    const pages = await everyPage(client);
    expect(pages.map((page) => page.length)).toEqual([50, 1]);
    expect(pages.flat()).toEqual(ids.toReversed());
  });

  it("[C61, ACP-LIST-002] keeps to the cwd that it is asked for", async () => {
    const { hall, client } = await initialized();
    const cwd = join(hall.work, "sub");
    mkdirSync(cwd);
    await listed(client, "here");
    const there = await listed(client, "there", { cwd });
    expect((await client.list({ cwd })).sessions).toMatchObject([{ sessionId: there, cwd }]);
    expect((await client.list({ cwd: "/no/session/here" })).sessions).toEqual([]);
  });

  it.each(["nonsense", "", "-1", "999999999999"])(
    "[C61] with the cursor %j, which is none, is -32602",
    async (cursor) => {
      const { client } = await initialized();
      await listed(client, "one");
      await expect(client.list({ cursor })).rejects.toMatchObject({ code: -32602 });
    },
  );

  it("takes the title from the first prompt: its first line, eighty characters of it", async () => {
    const { client } = await initialized();
    await listed(client, `${"ü".repeat(100)}\nsecond line`);
    expect((await client.list()).sessions).toMatchObject([{ title: "ü".repeat(80) }]);
  });

  it("takes the title that the agent gives", async () => {
    const { client } = await initialized();
    const { sessionId } = await client.newSession();
    await client.prompt(sessionId, [
      { update: { sessionUpdate: "session_info_update", title: "The agent's" } },
    ]);
    expect((await client.list()).sessions).toMatchObject([{ sessionId, title: "The agent's" }]);
  });

  it("leaves out what had no turn; such a session ends with its client", async () => {
    const { hall, client } = await initialized();
    const { sessionId } = await client.newSession();
    expect((await client.list()).sessions).toEqual([]);
    await client.close();
    const agentEnded = () => hall.agents().at(-1)?.entries.at(-1)?.text;
    await eventually(agentEnded).toBe("end of stdin");
    const other = await hall.connect();
    await other.initialize();
    await expect(other.load(sessionId)).rejects.toMatchObject({ code: -32002 });
  });
});

describe("session/delete", () => {
  it("[C62, ACP-DELETE-001, ACP-DELETE-002, K-39] takes a session away, and is content when there is none", async () => {
    const { client } = await initialized();
    const sessionId = await listed(client, "hello");
    expect(await client.deleteSession(sessionId)).toEqual({});
    expect((await client.list()).sessions).toEqual([]);
    await expect(client.load(sessionId)).rejects.toMatchObject({ code: -32002 });
    expect(await client.deleteSession(sessionId)).toEqual({});
    expect(await client.deleteSession("never heard of")).toEqual({});
  });

  it("[C62] of a session without a turn is no error either", async () => {
    const { client } = await initialized();
    expect(await client.deleteSession((await client.newSession()).sessionId)).toEqual({});
  });

  it.each(["../..", "..", ".", "/etc", "a/../../b", "index.jsonl", "\0"])(
    "[C62] never takes the id %j for a path",
    async (id) => {
      const { client } = await initialized();
      const sessionId = await listed(client, "hello");
      expect(await client.deleteSession(id)).toEqual({});
      expect((await client.list()).sessions).toMatchObject([{ sessionId }]);
      await client.load(sessionId);
      expect(client.texts(sessionId)).toContain("echo: hello");
    },
  );

  it("[C62] ends what runs and what waits in it first", async () => {
    const { client, sessionId } = await converse();
    const turns = [
      client.prompt(sessionId, [{ say: "on" }, { wait: "forever" }]),
      client.prompt(sessionId, "waiting"),
    ];
    await client.hears("on");
    expect(await client.deleteSession(sessionId)).toEqual({});
    for (const turn of turns) expect(await turn).toMatchObject({ stopReason: "cancelled" });
    expect((await client.list()).sessions).toEqual([]);
  });
});

describe("session/close", () => {
  it("[C63, ACP-CLOSE-001] of an idle session is {}, lets its agent go and leaves it in the list", async () => {
    const { hall, client, sessionId } = await converse();
    await client.prompt(sessionId, "hello");
    expect(await client.closeSession(sessionId)).toEqual({});
    const ended = () =>
      hall.agents().some(({ entries }) => entries.some(({ text }) => text === "end of stdin"));
    await eventually(ended).toBe(true);
    expect((await client.list()).sessions).toMatchObject([{ sessionId }]);
  });

  it("[C63, ACP-CLOSE-002] in a turn answers the turns cancelled, then itself; nothing of the session comes after", async () => {
    const { client, sessionId } = await converse();
    const first = client.nextId;
    const running = client.prompt(sessionId, [{ say: "on" }, { wait: "cancel" }, { say: "after" }]);
    await client.hears("on");
    const waiting = client.prompt(sessionId, "waiting");
    expect(await client.closeSession(sessionId)).toEqual({});
    for (const each of [running, waiting]) expect(await each).toMatchObject({ stopReason: "cancelled" });
    await client.saidMeanwhile();
    const [turns, closed, barrier] = [[first, first + 1], first + 2, first + 3];
    const came = inOrder(client);
    expect(came.slice(-2)).toEqual([`answer ${closed}`, `answer ${barrier}`]);
    for (const id of turns) expect(came).toContain(`answer ${id}`);
  });

  it("[C63] leaves the others' turns and their sessions alone", async () => {
    const { hall, client, sessionId } = await converse();
    const other = await joined(hall, sessionId);
    const { wait, reached, open } = gate();
    const turn = client.prompt(sessionId, [wait, { say: "done" }]);
    await reached();
    expect(await other.closeSession(sessionId)).toEqual({});
    open();
    expect(await turn).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("done");
    expect(await other.saidMeanwhile()).toEqual([]);
    expect(other.texts(sessionId)).toBe("");
  });

  // Some answer {} here. The hall says that it does not know what was closed.
  it("[C63] of a session that nobody knows is -32002", async () => {
    const { client } = await initialized();
    await expect(client.closeSession("none")).rejects.toMatchObject({
      code: -32002,
      data: { sessionId: "none" },
    });
  });
});

describe("modes and options", () => {
  const select = (id: string, currentValue: string) => ({
    id,
    name: id,
    type: "select",
    currentValue,
    options: ["s", "l"].map((value) => ({ value, name: value })),
  });
  const ways: Ways = {
    modes: { currentModeId: "ask", availableModes: ["ask", "code"].map((id) => ({ id, name: id })) },
    configOptions: [select("model", "s"), select("effort", "l")],
  };

  it("[ACP-MODES-001, ACP-CONFIG-001] come with the session as the agent has them", async () => {
    const { client } = await initialized(ways);
    const { modes, configOptions } = await client.newSession();
    expect(modes?.availableModes.map(({ id }) => id)).toContain(modes?.currentModeId);
    expect(configOptions).toEqual(ways.configOptions);
  });

  it("[ACP-MODES-002] a mode is set, also while a turn runs or a question is open", async () => {
    const { client, sessionId } = await converse(ways);
    expect(await client.setMode(sessionId, "code")).toEqual({});
    const turn = client.prompt(sessionId, [
      { tell: "mode" },
      { ask: { tool: { id: "t" } } },
      { tell: "mode" },
    ]);
    const question = await client.question();
    expect(await client.setMode(sessionId, "ask")).toEqual({});
    question.select("allow");
    await turn;
    expect(client.texts(sessionId)).toBe("mode: codeasked: selected allowmode: ask");
  });

  it("[ACP-MODES-002] a mode that there is not is the agent's error", async () => {
    const { client, sessionId } = await converse(ways);
    await expect(client.setMode(sessionId, "none")).rejects.toMatchObject({
      code: -32602,
      message: "There is no mode none.",
    });
  });

  it("[C64, ACP-CONFIG-002] an option that is set is answered with all of them", async () => {
    const { client, sessionId } = await converse(ways);
    expect(await client.setOption(sessionId, "model", "l")).toEqual({
      configOptions: [select("model", "l"), select("effort", "l")],
    });
  });

  it("[C64] an option that there is not is the agent's -32602", async () => {
    const { client, sessionId } = await converse(ways);
    await expect(client.setOption(sessionId, "none", "x")).rejects.toMatchObject({ code: -32602 });
  });

  // No agent is told that its client knows boolean options, so a proper one sends none and nothing is filtered.
  it("[C64, ACP-CONFIG-003] no agent is told that boolean options are known here, whatever the client says", async () => {
    const hall = await hallWith();
    const client = await hall.connect();
    await client.initialize({ clientCapabilities: { session: { configOptions: { boolean: {} } } } });
    await client.newSession();
    for (const { params } of toAgents(hall).filter(({ method }) => method === "initialize")) {
      expect(params).not.toHaveProperty("clientCapabilities.session.configOptions");
    }
  });

  it("of a session whose agent was let go are set after it is back", async () => {
    const { client, sessionId } = await converse({ ...ways, stateFile: `${temporaryFolder()}/state` });
    await client.prompt(sessionId, "hello");
    await client.closeSession(sessionId);
    await client.resume(sessionId);
    expect(await client.setMode(sessionId, "code")).toEqual({});
    await client.prompt(sessionId, [{ tell: "mode" }]);
    expect(client.texts(sessionId)).toContain("mode: code");
  });

  it.each(["session/set_mode", "session/set_config_option"])(
    "%s in a session that nobody knows is -32002",
    async (method) => {
      const { client } = await initialized(ways);
      const params = { sessionId: "none", modeId: "ask", configId: "model", value: "s" };
      await expect(client.request(method, params)).rejects.toMatchObject({ code: -32002 });
    },
  );
});

describe("additional directories", () => {
  const takes = { loadSession: true, sessionCapabilities: { additionalDirectories: {}, resume: {} } };

  it("[C65, ACP-ADDDIRS-001] reach an agent that takes them", async () => {
    const { hall, client } = await initialized({ capabilities: takes });
    const { sessionId } = await client.newSession({ additionalDirectories: [hall.folder] });
    await client.prompt(sessionId, [{ tell: "directories" }]);
    expect(client.texts(sessionId)).toBe(`directories: ${JSON.stringify([hall.folder])}`);
  });

  it("[C65] are not shown to an agent that does not say that it takes them", async () => {
    const { hall, client } = await initialized();
    await client.newSession({ additionalDirectories: [hall.folder] });
    const created = toAgents(hall).filter(({ method }) => method === "session/new");
    expect(created).toHaveLength(1);
    expect(created[0]).not.toHaveProperty("params.additionalDirectories");
  });

  it.each([["relative"], [""]])("[C65] that are relative, as %j, are -32602", async (directory) => {
    const { client } = await initialized({ capabilities: takes });
    await expect(client.newSession({ additionalDirectories: [directory] })).rejects.toMatchObject({
      code: -32602,
    });
  });

  it("[C65] are not remembered: a load that names none has none", async () => {
    const stateFile = `${temporaryFolder()}/state`;
    const { hall, client } = await initialized({ capabilities: takes, stateFile });
    const { sessionId } = await client.newSession({ additionalDirectories: [hall.folder] });
    await client.prompt(sessionId, "hello");
    await client.closeSession(sessionId);
    await client.load(sessionId);
    await client.prompt(sessionId, [{ tell: "directories" }]);
    expect(promptsTo(hall)).toHaveLength(2);
    expect(client.texts(sessionId)).toMatch(/directories: \[\]$/);
  });
});

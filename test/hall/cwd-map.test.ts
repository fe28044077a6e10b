import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AcpClient } from "../doubles/acp-client.ts";
import { toAgents } from "../doubles/conversation.ts";
import type { JsonObject, Ways } from "../doubles/scripted-agent/ways.ts";
import { startHall } from "../doubles/start-hall.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

const HERE = "/Users/ann/work";
const OFFERS = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };

/** A hall whose slot knows a folder that exists by a name of the client's that does not. */
async function mapped(slot: JsonObject = {}, { ways = {} as Ways, offers = {} } = {}) {
  const there = temporaryFolder();
  mkdirSync(join(there, "project"));
  const hall = await startHall({
    slots: { scripted: { ways, cwd_map: [{ client: HERE, agent: there }], ...slot } },
  });
  const client = await hall.connect();
  await client.initialize({ clientCapabilities: offers });
  const { sessionId } = await client.newSession({ cwd: `${HERE}/project` });
  return { hall, there, client, sessionId };
}

const said = (client: AcpClient, kind: string): unknown[] =>
  client.messages
    .filter(({ method }) => method === "session/update")
    .map(({ params }) => Object(params).update)
    .filter(({ sessionUpdate }) => sessionUpdate === kind);

/** As hardly an agent spells it, so that it takes the long way. */
const spelledOtherwise = (sessionId: string, update: JsonObject): string =>
  JSON.stringify({ params: { update, sessionId }, method: "session/update", jsonrpc: "2.0" });

describe("a slot with a cwd_map", () => {
  it("gives the agent the folders and links of the client under the agent's names", async () => {
    const { hall, there, client, sessionId } = await mapped(
      {},
      {
        ways: {
          capabilities: {
            sessionCapabilities: { additionalDirectories: {} },
            promptCapabilities: { embeddedContext: true },
          },
        },
      },
    );
    const other = await client.newSession({
      cwd: `${HERE}/project`,
      additionalDirectories: [`${HERE}/more`, "/elsewhere"],
    });
    await client.promptWith(sessionId, [
      { type: "text", text: `look at ${HERE}/a` },
      { type: "resource_link", name: "a", uri: `file://${HERE}/a%20b#L1` },
      { type: "resource", resource: { uri: `file://${HERE}/c`, text: "c" } },
    ]);
    const params = toAgents(hall).map(({ params }) => params);
    expect(params).toContainEqual({ cwd: join(there, "project"), mcpServers: [] });
    const additionalDirectories = [join(there, "more"), "/elsewhere"];
    expect(params).toContainEqual(expect.objectContaining({ additionalDirectories }));
    expect(params).toContainEqual(
      expect.objectContaining({
        prompt: [
          { type: "text", text: `look at ${HERE}/a` },
          { type: "resource_link", name: "a", uri: `file://${there}/a%20b#L1` },
          { type: "resource", resource: { uri: `file://${there}/c`, text: "c" } },
        ],
      }),
    );
    expect(other.sessionId).not.toBe(sessionId);
  });

  it("shows the client the agent's paths under its own names, and nothing else changed, now and from the journal", async () => {
    const { hall, there, client, sessionId } = await mapped({}, { ways: { idPrefix: "mine-" } });
    const tool = {
      id: "t",
      title: `edit ${there}/x`,
      foreign: 1e2,
      locations: [{ path: `${there}/x`, line: 3 }, { path: "/elsewhere" }],
      content: [
        { type: "diff", path: `${there}/x`, oldText: there, newText: "b" },
        { type: "content", content: { type: "resource_link", name: "x", uri: `file://${there}/x` } },
      ],
      rawInput: { file_path: `${there}/x` },
    };
    await client.prompt(sessionId, [
      { tool },
      { toolUpdate: { id: "t", status: "completed", locations: [{ path: there }] } },
      {
        raw: spelledOtherwise("mine-1", {
          sessionUpdate: "tool_call",
          toolCallId: "u",
          title: "u",
          locations: [{ path: there }],
        }),
      },
    ]);
    const { id: _id, ...rest } = tool;
    const [first, second] = said(client, "tool_call");
    expect(second).toMatchObject({ toolCallId: "u", locations: [{ path: HERE }] });
    expect(first).toMatchObject({
      ...rest,
      locations: [{ path: `${HERE}/x`, line: 3 }, { path: "/elsewhere" }],
      content: [
        { type: "diff", path: `${HERE}/x`, oldText: there, newText: "b" },
        { type: "content", content: { type: "resource_link", name: "x", uri: `file://${HERE}/x` } },
      ],
    });
    expect(said(client, "tool_call_update")[0]).toMatchObject({ locations: [{ path: HERE }] });
    const late = await hall.connect();
    await late.initialize();
    await late.load(sessionId, { cwd: `${HERE}/project` });
    expect(said(late, "tool_call")).toEqual([first, second]);
    expect((await late.list()).sessions[0]?.cwd).toBe(`${HERE}/project`);
  });

  it("has the client read, write and run under its own names", async () => {
    const { there, client, sessionId } = await mapped({}, { offers: OFFERS });
    const calls: unknown[] = [];
    client.answerWith(({ method, params }) => {
      calls.push([method, Object(params).path ?? Object(params).cwd]);
      if (method === "terminal/create") return { terminalId: "term" };
      if (method === "terminal/wait_for_exit") return { exitCode: 0 };
      if (method === "terminal/output") return { output: "", truncated: false };
      return method === "fs/read_text_file" ? { content: "text" } : {};
    });
    await client.prompt(sessionId, [
      { read: `${there}/a` },
      { write: { path: `${there}/b`, content: "b" } },
      { terminal: { command: "ls", cwd: there } },
    ]);
    expect(calls.slice(0, 3)).toEqual([
      ["fs/read_text_file", `${HERE}/a`],
      ["fs/write_text_file", `${HERE}/b`],
      ["terminal/create", HERE],
    ]);
  });

  it("asks people about their own paths, and its rules about the agent's", async () => {
    const { there, client, sessionId } = await mapped();
    const turn = client.prompt(sessionId, [
      { ask: { tool: { id: "t", locations: [{ path: `${there}/x` }] } } },
    ]);
    const question = await client.question();
    expect(question.params.toolCall.locations).toEqual([{ path: `${HERE}/x` }]);
    question.select("allow");
    await turn;
  });

  it("serves the agent its own files itself, inside of its own folders", async () => {
    const { there, client, sessionId } = await mapped();
    writeFileSync(join(there, "project", "a"), "of the agent");
    await client.prompt(sessionId, [{ read: join(there, "project", "a") }, { read: join(there, "b") }]);
    expect(client.texts(sessionId)).toMatch(/^read: of the agent.*outside the session's folders/s);
  });

  it("takes roots and its own cwd as the agent calls them", async () => {
    const { hall, there, client } = await mapped();
    await expect(client.newSession({ cwd: `${HERE}/missing` })).rejects.toThrow(
      `"cwd" must be a folder that is there: ${HERE}/missing, which is ${there}/missing at the agent, is not.`,
    );
    expect(hall.log).not.toContain("defect");
    const kept = await mapped({ roots: ["/nowhere"] }).catch((error: Error) => error.message);
    expect(kept).toContain('Slot "scripted" works in /nowhere (roots), and nowhere else');
  });
});

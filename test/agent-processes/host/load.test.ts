import { appendFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { defineAgent, type Turn } from "../../../src/agents/host/define.ts";
import { lastingMemory } from "../../../src/agents/host/memory.ts";
import { ToldSessions } from "../../../src/agents/host/told/told-sessions.ts";
import { HandClock } from "../../../src/ground/clock.ts";
import { type Disk, realDisk } from "../../../src/ground/disk.ts";
import { Latch } from "../../doubles/latch.ts";
import { temporaryFolder } from "../../doubles/temporary-folder.ts";
import { hosted } from "./hosted.ts";

const agent = (prompt: (turn: Turn) => unknown) =>
  defineAgent({
    name: "test",
    async prompt(turn) {
      await prompt(turn);
    },
  });

/** An agent that does what the words of a prompt say, and remembers how often it was asked. */
const counting = agent(async (turn) => {
  const count = Number(turn.session.recall() ?? 0) + 1;
  turn.session.remember(count);
  turn.think("hm");
  turn.tool({ title: "Count" }).done(String(count));
  await turn.say(`${turn.text}: ${count}`);
});

/** Processes one after another that keep their sessions in one folder. */
function lives({ keptBytes, disk = realDisk }: { keptBytes?: number; disk?: Disk } = {}) {
  const folder = join(temporaryFolder(), "kept");
  const clock = new HandClock(0);
  const notices: string[] = [];
  const notice = (what: string): void => void notices.push(what);
  const start = async (served = counting) => {
    const parts = { disk, clock, notice, ...(keptBytes === undefined ? {} : { keptBytes }) };
    const memory = lastingMemory(folder, realDisk);
    const client = hosted(served, { memory, told: new ToldSessions(folder, parts), notice });
    const { agentCapabilities } = await client.initialize();
    return { client, agentCapabilities };
  };
  return { folder, clock, notices, start };
}

describe("a session of an agent that runs without a hall", () => {
  it("is loaded by a later process: all that was said and shown comes again, in order, before the answer", async () => {
    const { start, folder } = lives();
    const first = (await start()).client;
    const { sessionId } = await first.newSession();
    const image = { type: "image" as const, data: "AAAA", mimeType: "image/png" };
    await first.promptWith(sessionId, [{ type: "text", text: "hello" }, image]);
    await first.prompt(sessionId, "again");
    first.destroy();

    const { client, agentCapabilities } = await start();
    expect(agentCapabilities).toMatchObject({ loadSession: true, sessionCapabilities: { list: {} } });
    expect(await client.load(sessionId)).toEqual({});
    const told = client.updates(sessionId);
    expect(told.filter((update) => update.sessionUpdate !== "user_message_chunk")).toEqual(
      first.updates(sessionId),
    );
    expect(told.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
      "user_message_chunk",
      "user_message_chunk",
      "agent_thought_chunk",
      "tool_call",
      "tool_call_update",
      "agent_message_chunk",
      "user_message_chunk",
      "agent_thought_chunk",
      "tool_call",
      "tool_call_update",
      "agent_message_chunk",
    ]);
    expect(told[1]).toMatchObject({ content: image });
    await client.prompt(sessionId, "more");
    expect(client.texts(sessionId)).toBe("hello: 1again: 2more: 3");
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it("is listed from its first turn on, newest first, fifty a page, by its folder; and is gone when deleted", async () => {
    const { start, clock } = lives();
    const { client } = await start();
    const ids: string[] = [];
    for (let count = 0; count < 51; count += 1) {
      const { sessionId } = await client.newSession(count === 7 ? { cwd: "/elsewhere" } : {});
      clock.advance(1_000);
      await client.prompt(sessionId, `number ${count}\nand more`);
      ids.unshift(sessionId);
    }
    await client.newSession();
    const first = await client.list();
    expect(first.sessions.map(({ sessionId }) => sessionId)).toEqual(ids.slice(0, 50));
    expect(first.sessions[0]).toEqual({
      sessionId: ids[0],
      cwd: client.cwd,
      additionalDirectories: [],
      title: "number 50",
      updatedAt: new Date(51_000).toISOString(),
    });
    const second = await client.list({ cursor: first.nextCursor });
    expect(second).toEqual({ sessions: [expect.objectContaining({ sessionId: ids[50] })] });
    expect((await client.list({ cwd: "/elsewhere" })).sessions).toMatchObject([{ title: "number 7" }]);
    await expect(client.list({ cursor: "../x" })).rejects.toMatchObject({ code: -32602 });
    await client.deleteSession(ids[50] ?? "");
    expect((await client.list({ cursor: ids[48] })).sessions).toHaveLength(1);
    await expect(client.load(ids[50] ?? "")).rejects.toMatchObject({ code: -32002 });
  });

  it("that its agent does not remember is shown all the same, and the client is told so", async () => {
    const { start } = lives();
    const forgetful = agent((turn) => turn.say("who are you?"));
    const first = (await start(forgetful)).client;
    const { sessionId } = await first.newSession();
    await first.prompt(sessionId, "hello");
    first.destroy();
    const { client } = await start(forgetful);
    await expect(client.resume(sessionId)).rejects.toMatchObject({ code: -32002 });
    await client.load(sessionId);
    expect(client.texts(sessionId)).toBe("who are you?");
    expect(client.updates(sessionId).at(-1)).toEqual({
      sessionUpdate: "session_info_update",
      _meta: { "hall/bound": "fresh" },
    });
  });

  it("is not loaded when it is open, unknown, or has a name that is a path", async () => {
    const { start } = lives();
    const { client } = await start();
    const { sessionId } = await client.newSession();
    await client.prompt(sessionId, "hello");
    await expect(client.load(sessionId)).rejects.toMatchObject({ code: -32600 });
    for (const id of ["unknown", "../kept/x", ""]) await expect(client.load(id)).rejects.toThrow();
    await client.closeSession(sessionId);
    expect(await client.load(sessionId)).toEqual({});
  });

  it("[NG-33] that is being opened takes no prompt and is opened once: nothing runs on half of it", async () => {
    const gate = new Latch();
    const slow = defineAgent({
      name: "slow",
      prompt: (turn) => turn.say("played"),
      resume: async () => {
        await gate.opened;
        return true;
      },
    });
    const { client } = await lives().start(slow);
    const resumed = client.resume("kept");
    await expect(client.prompt("kept", "too early")).rejects.toMatchObject({
      code: -32600,
      message: "This session is being opened; wait for the answer.",
    });
    await expect(client.resume("kept")).rejects.toMatchObject({ code: -32600 });
    gate.open();
    await resumed;
    await client.prompt("kept", "now");
    expect(client.texts("kept")).toBe("played");
  });

  it("whose process was killed in the middle of a line and of a tool call loads what is whole, and nothing is left open", async () => {
    const { start, folder } = lives();
    const begun = new Latch();
    const hanging = agent(async (turn) => {
      turn.tool({ title: "Hang" });
      begun.open();
      await new Promise(() => {});
    });
    const first = (await start(hanging)).client;
    const { sessionId } = await first.newSession();
    void first.prompt(sessionId, "hello").catch(() => {});
    await begun.opened;
    appendFileSync(join(folder, `${sessionId}.updates.jsonl`), '{"sessionUpdate":"agent_mess');
    const second = (await start()).client;
    await second.load(sessionId);
    expect(second.updates(sessionId)).toMatchObject([
      { sessionUpdate: "user_message_chunk" },
      { sessionUpdate: "tool_call", title: "Hang", status: "pending" },
      { sessionUpdate: "tool_call_update", status: "failed" },
      { sessionUpdate: "session_info_update" },
    ]);
    await second.prompt(sessionId, "go on");
    second.destroy();
    const third = (await start()).client;
    await third.load(sessionId);
    expect(third.texts(sessionId)).toBe("go on: 1");
    first.destroy();
  });

  it("keeps its newest turns when it grows too long, from a prompt on", async () => {
    const { start, folder } = lives({ keptBytes: 2_000 });
    const first = (await start()).client;
    const { sessionId } = await first.newSession();
    for (let count = 0; count < 40; count += 1) await first.prompt(sessionId, `prompt ${count}`);
    first.destroy();
    expect(statSync(join(folder, `${sessionId}.updates.jsonl`)).size).toBeLessThan(4_000);
    const { client } = await start();
    await client.load(sessionId);
    const told = client.updates(sessionId);
    expect(told[0]).toMatchObject({ sessionUpdate: "user_message_chunk" });
    expect(told.at(-1)).toMatchObject({ content: { text: "prompt 39: 40" } });
    expect(told.length).toBeGreaterThan(5);
    expect((await client.list()).sessions).toMatchObject([{ title: "prompt 0" }]);
  });

  it("is played also when it cannot be kept, which is said once", async () => {
    const disk: Disk = {
      ...realDisk,
      replace: () => {
        throw new Error("no space left on device");
      },
    };
    const { start, notices } = lives({ disk });
    const { client } = await start();
    const { sessionId } = await client.newSession();
    await client.prompt(sessionId, "one");
    await client.prompt(sessionId, "two");
    expect(client.texts(sessionId)).toBe("one: 1two: 2");
    expect(notices).toEqual([
      expect.stringMatching(/^What is said in this session cannot be kept in .*: no space left on device$/),
    ]);
  });
});

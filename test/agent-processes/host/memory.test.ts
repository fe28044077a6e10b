import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { defineAgent } from "../../../src/agents/host/define.ts";
import { lastingMemory, shortMemory } from "../../../src/agents/host/memory.ts";
import { realDisk } from "../../../src/ground/disk.ts";
import { temporaryFolder } from "../../doubles/temporary-folder.ts";
import { hosted, opened } from "./hosted.ts";

const counter = defineAgent({
  name: "counter",
  async prompt(turn) {
    const count = Number(turn.session.recall() ?? 0) + 1;
    turn.session.remember(count);
    await turn.say(`${count} `);
  },
});

describe("what a session remembers", () => {
  it("lasts from prompt to prompt, each session its own", async () => {
    const { client, sessionId } = await opened(counter);
    const other = (await client.newSession()).sessionId;
    for (const id of [sessionId, sessionId, other]) await client.prompt(id, "count");
    expect(client.texts(sessionId)).toBe("1 2 ");
    expect(client.texts(other)).toBe("1 ");
  });

  it("outlives the process where it is kept, in a file that is its owner's alone", async () => {
    const folder = join(temporaryFolder(), "kept");
    const first = await opened(counter, lastingMemory(folder, realDisk));
    await first.client.prompt(first.sessionId, "count");
    expect(readdirSync(folder)).toEqual([`${first.sessionId}.json`]);
    expect(statSync(join(folder, `${first.sessionId}.json`)).mode & 0o777).toBe(0o600);

    const second = hosted(counter, { memory: lastingMemory(folder, realDisk) });
    const { agentCapabilities } = await second.initialize();
    expect(agentCapabilities?.sessionCapabilities?.resume).toEqual({});
    await second.resume(first.sessionId);
    expect(second.updates(first.sessionId)).toEqual([]);
    await second.prompt(first.sessionId, "count");
    expect(second.texts(first.sessionId)).toBe("2 ");
    await second.deleteSession(first.sessionId);
    expect(readdirSync(folder)).toEqual([]);
    await second.deleteSession(first.sessionId);
  });

  it("is not there for a session that is not known, whatever its id looks like", async () => {
    const folder = join(temporaryFolder(), "kept");
    const client = hosted(counter, { memory: lastingMemory(folder, realDisk) });
    await client.initialize();
    for (const id of ["unknown", "../../etc/passwd", ""]) {
      await expect(client.resume(id)).rejects.toMatchObject({ code: -32002 });
      await client.deleteSession(id);
    }
    expect(existsSync(folder)).toBe(false);
  });

  it("makes no session resumable that has nothing to remember", async () => {
    const memory = shortMemory();
    const { client, sessionId } = await opened(defineAgent({ name: "plain", prompt: () => {} }), memory);
    await client.prompt(sessionId, "hello");
    await client.closeSession(sessionId);
    await expect(client.resume(sessionId)).rejects.toMatchObject({ code: -32002 });
  });

  it("can be the agent's own business", async () => {
    const agent = defineAgent({ name: "own", prompt: () => {}, resume: ({ id }) => id === "known" });
    const client = hosted(agent);
    await client.initialize();
    expect(await client.resume("known")).toEqual({});
    await expect(client.resume("known")).rejects.toMatchObject({ code: -32600 });
    await expect(client.resume("other")).rejects.toMatchObject({ code: -32002 });
  });
});

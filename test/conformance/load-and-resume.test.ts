import { describe, expect, it } from "vitest";
import type { AcpClient } from "../doubles/acp-client.ts";
import { converse, hallWith, inOrder, joined, promptsTo, toAgents } from "../doubles/conversation.ts";
import { gate } from "../doubles/gate.ts";
import type { TestHall } from "../doubles/start-hall.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

async function newClient(hall: TestHall, initialize = {}): Promise<AcpClient> {
  const client = await hall.connect();
  await client.initialize(initialize);
  return client;
}

/** A client that gets its own user lines too, so that what it got is what the journal holds. */
const newEchoing = (hall: TestHall): Promise<AcpClient> => newClient(hall, { _meta: { "hall/echo": true } });

const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, n) => `burst ${from + n}`).join("");

describe("session/load", () => {
  it("[C57, ACP-LOAD-001, ACP-LOAD-002, ACP-LOAD-003] brings the whole history, in order, then its answer, then nothing", async () => {
    const { hall, client, sessionId } = await converse();
    await client.prompt(sessionId, [{ burst: { count: 50 } }]);
    await client.prompt(sessionId, "second");
    const other = await newClient(hall);
    const since = other.received.length;
    const id = other.nextId;
    const answer = await other.load(sessionId);
    expect(answer).toMatchObject({ _meta: { "hall/cursor": expect.any(Number) } });
    expect(inOrder(other, since).at(-1)).toBe(`answer ${id}`);
    expect(other.texts(sessionId)).toBe(`${numbered(0, 50)}echo: second`);
    expect(other.userTexts(sessionId)).toContain("second");
    expect(await other.saidMeanwhile()).toEqual([]);
  });

  it("[C57] brings an agent's history that cannot load itself", async () => {
    const { hall, client, sessionId } = await converse({ capabilities: {} });
    await client.prompt(sessionId, "hello");
    const other = await joined(hall, sessionId);
    expect(other.texts(sessionId)).toBe("echo: hello");
    expect(toAgents(hall).filter(({ method }) => method === "session/load")).toEqual([]);
  });

  it("[C57] brings the modes and options as they are now", async () => {
    const modes = { currentModeId: "a", availableModes: ["a", "b"].map((id) => ({ id, name: id })) };
    const { hall, client, sessionId } = await converse({ modes });
    await client.setMode(sessionId, "b");
    const other = await newClient(hall);
    expect(await other.load(sessionId)).toMatchObject({ modes: { currentModeId: "b" } });
  });

  it("[C57] leaves out the user's lines of turns that this connection sent, which it has", async () => {
    const { hall, client, sessionId } = await converse();
    await client.prompt(sessionId, "mine");
    const other = await joined(hall, sessionId);
    await other.prompt(sessionId, "theirs");
    const since = client.received.length;
    await client.load(sessionId);
    expect(client.userTexts(sessionId, since)).toBe("theirs");
    expect(client.texts(sessionId, since)).toBe("echo: mineecho: theirs");
  });

  it("again on the same connection replays again, and leaves it one listener, not two", async () => {
    const { client, sessionId } = await converse();
    await client.prompt(sessionId, "one");
    for (let n = 0; n < 3; n += 1) {
      const since = client.received.length;
      await client.load(sessionId);
      expect(client.texts(sessionId, since)).toBe("echo: one");
    }
    const since = client.received.length;
    await client.prompt(sessionId, "two");
    expect(client.texts(sessionId, since)).toBe("echo: two");
  });

  it("starts no agent, and asks none", async () => {
    const { hall, client, sessionId } = await converse();
    await client.prompt(sessionId, "hello");
    const before = toAgents(hall).length;
    for (let n = 0; n < 10; n += 1) await joined(hall, sessionId);
    expect(toAgents(hall)).toHaveLength(before);
  });

  it("[C58] in a running turn joins history and what comes live, without a gap and without a duplicate", async () => {
    const { hall, client, sessionId } = await converse();
    const { wait, reached, open } = gate();
    const turn = client.prompt(sessionId, [
      { burst: { count: 50 } },
      wait,
      { burst: { count: 50, text: "on " } },
      { say: "end" },
    ]);
    await reached();
    const other = await joined(hall, sessionId);
    expect(other.texts(sessionId)).toBe(numbered(0, 50));
    open();
    await turn;
    await other.hears("end");
    expect(other.texts(sessionId)).toBe(client.texts(sessionId));
  });

  it("[C58] in the middle of a flood has no seam, wherever it falls", async () => {
    const hall = await hallWith();
    const client = await newEchoing(hall);
    const { sessionId } = await client.newSession();
    const turn = client.prompt(sessionId, [{ flood: { bytes: 4 << 20, size: 500 } }, { say: "the end" }]);
    const others: AcpClient[] = [];
    for (let n = 0; n < 5; n += 1) {
      const other = await newEchoing(hall);
      await other.load(sessionId);
      others.push(other);
    }
    await turn;
    for (const other of others) {
      await other.hears("the end");
      expect(other.updateBytes(sessionId).equals(client.updateBytes(sessionId))).toBe(true);
    }
  });

  it("of a session that nobody knows is -32002 with its id", async () => {
    const client = await newClient(await hallWith());
    for (const sessionId of ["no such session", "../../../etc", ""]) {
      await expect(client.load(sessionId)).rejects.toMatchObject({ code: -32002, data: { sessionId } });
    }
  });

  it("[NG-32] with another cwd is -32602, and so is a resume", async () => {
    const { hall, client, sessionId } = await converse();
    const elsewhere = { cwd: hall.folder };
    await expect(client.load(sessionId, elsewhere)).rejects.toMatchObject({ code: -32602 });
    await expect(client.resume(sessionId, elsewhere)).rejects.toMatchObject({ code: -32602 });
  });
});

describe("session/resume", () => {
  it("[C59, ACP-RESUME-001, ACP-RESUME-002] brings no history, and everything that comes after it", async () => {
    const { hall, client, sessionId } = await converse();
    await client.prompt(sessionId, "one");
    const other = await newClient(hall);
    const since = other.received.length;
    await other.resume(sessionId);
    expect(other.updates(sessionId, since)).toEqual([]);
    await client.prompt(sessionId, "two");
    await other.saidMeanwhile();
    expect(other.texts(sessionId)).toBe("echo: two");
  });

  it("with a cursor brings everything from there on, before its answer, and nothing twice", async () => {
    const hall = await hallWith();
    const client = await newEchoing(hall);
    const { sessionId } = await client.newSession();
    const { _meta } = await client.prompt(sessionId, "one");
    const since = client.received.length;
    await client.prompt(sessionId, "two");
    const other = await newEchoing(hall);
    await other.resume(sessionId, {
      _meta: { "hall/cursor": _meta?.["hall/cursor"], "hall/journal": _meta?.["hall/journal"] },
    });
    expect(other.updateBytes(sessionId).equals(client.updateBytes(sessionId, since))).toBe(true);
    expect(inOrder(other).at(-1)).toMatch(/^answer/);
  });

  it("with the bytes that a client counted itself continues exactly there", async () => {
    const hall = await hallWith();
    const client = await newEchoing(hall);
    const { sessionId, _meta } = await client.newSession();
    await client.prompt(sessionId, [{ burst: { count: 20 } }]);
    const counted = Number(_meta?.["hall/cursor"]) + client.updateBytes(sessionId).length;
    const resumed = await (await newEchoing(hall)).resume(sessionId, { _meta: { "hall/cursor": counted } });
    expect(resumed._meta?.["hall/cursor"]).toBe(counted);
  });

  it.each([
    ["past the end", (end: number) => ({ "hall/cursor": end + 1 })],
    ["in the middle of a line", (end: number) => ({ "hall/cursor": end - 3 })],
    ["negative", () => ({ "hall/cursor": -1 })],
    ["no integer", () => ({ "hall/cursor": 1.5 })],
    ["text", () => ({ "hall/cursor": "0" })],
    ["of another journal", (end: number) => ({ "hall/cursor": end, "hall/journal": "another" })],
  ])("with a cursor that is %s is -32602, and says where the journal ends", async (_name, meta) => {
    const { hall, client, sessionId } = await converse();
    const { _meta } = await client.prompt(sessionId, "hello");
    const end = Number(_meta?.["hall/cursor"]);
    const other = await newClient(hall);
    await expect(other.resume(sessionId, { _meta: meta(end) })).rejects.toMatchObject({
      code: -32602,
      data: { kind: "bad_cursor", journal: expect.any(String), cursor: end },
    });
  });

  it("[NG-31] of a session that nobody knows is -32002 with its id", async () => {
    const client = await newClient(await hallWith());
    await expect(client.resume("none")).rejects.toMatchObject({ code: -32002, data: { sessionId: "none" } });
  });
});

describe.each(["stop", "kill"] as const)("after a hall came back from a %s", (how) => {
  /** A hall that came back, with a session of one turn, and agents that keep their sessions in a file. */
  async function cameBack(ways = {}) {
    const conversation = await converse({ stateFile: `${temporaryFolder()}/state`, ...ways });
    const { hall, client, sessionId } = conversation;
    await client.prompt(sessionId, "before");
    const bytes = client.updateBytes(sessionId);
    client.destroy();
    await hall.restart(how);
    return { hall, sessionId, bytes };
  }

  it("[C60] a load brings the history byte for byte, and a prompt goes on in it", async () => {
    const { hall, sessionId, bytes } = await cameBack();
    const client = await newClient(hall);
    await client.load(sessionId);
    expect(client.userTexts(sessionId)).toBe("before");
    expect(client.updateBytes(sessionId).includes(bytes)).toBe(true);
    await client.prompt(sessionId, [{ tell: "memory" }]);
    expect(client.texts(sessionId)).toContain("memory: before | ");
  });

  it("[C60, NG-30] a resume and a prompt go on in it too", async () => {
    const { hall, sessionId } = await cameBack();
    const client = await newClient(hall);
    await client.resume(sessionId);
    expect(client.updates(sessionId)).toEqual([]);
    await client.prompt(sessionId, "after");
    expect(client.texts(sessionId)).toBe("echo: after");
  });

  it("[C60] a prompt alone goes on in it, and the agent session is restored without a word to the client", async () => {
    const { hall, sessionId } = await cameBack();
    const client = await newClient(hall);
    await client.prompt(sessionId, [{ tell: "memory" }]);
    expect(client.texts(sessionId)).toContain("memory: before | ");
    expect(client.userTexts(sessionId)).toBe("");
  });

  it.each([
    ["resume", {}, "session/resume"],
    ["load, where it cannot resume", { capabilities: { loadSession: true } }, "session/load"],
    ["load, where it says that it can resume and cannot", { resumeMissing: true }, "session/load"],
    ["a new session, where it can do neither", { capabilities: {} }, "session/new"],
    [
      "a new session, where its load fails",
      { resumeMissing: true, loadReplays: "error" as const },
      "session/new",
    ],
    [
      "a new session, where its load replays nobody's words",
      { resumeMissing: true, loadNoUserMessages: true },
      "session/new",
    ],
    [
      "a new session, where its load takes any id",
      { resumeMissing: true, loadReplays: "accepts-unknown" as const, stateFile: undefined },
      "session/new",
    ],
  ])("[C60] the agent is bound again by %s", async (_name, ways, method) => {
    const { hall, sessionId } = await cameBack(ways);
    const client = await newClient(hall);
    expect(await client.prompt(sessionId, [{ say: "after" }])).toMatchObject({ stopReason: "end_turn" });
    const bound = toAgents(hall)
      .map((message) => message.method)
      .filter((name) => name === "session/new" || name === "session/load" || name === "session/resume");
    expect(bound.at(-1)).toBe(method);
    const since = client.received.length;
    await client.load(sessionId);
    expect(client.texts(sessionId, since)).toBe("echo: beforeafter");
  });

  it("[C60] an agent whose memory is gone is told the conversation so far, and the clients are told that it is", async () => {
    const { hall, sessionId } = await cameBack({ capabilities: {} });
    const client = await newClient(hall);
    await client.prompt(sessionId, [{ say: "after" }]);
    expect(promptsTo(hall).at(-1)).toContain("echo: before");
    expect(JSON.stringify(client.messages)).toContain("hall/bound");
  });

  it("[C60] what an agent replays while it is loaded is not told again", async () => {
    const { hall, sessionId } = await cameBack({ resumeMissing: true });
    const client = await newClient(hall);
    await client.load(sessionId);
    const since = client.received.length;
    await client.prompt(sessionId, "after");
    expect(client.texts(sessionId, since)).toBe("echo: after");
    expect(client.userTexts(sessionId, since)).toBe("");
  });

  it("[C60] the mode and the options that were in force are in force again before the prompt", async () => {
    const options = ["s", "l"].map((value) => ({ value, name: value }));
    const ways = {
      stateFile: `${temporaryFolder()}/state`,
      modes: { currentModeId: "ask", availableModes: ["ask", "code"].map((id) => ({ id, name: id })) },
      configOptions: [{ id: "size", name: "Size", type: "select", currentValue: "s", options }],
    };
    const { hall, client, sessionId } = await converse(ways);
    await client.setMode(sessionId, "code");
    await client.setOption(sessionId, "size", "l");
    await client.prompt(sessionId, "before");
    client.destroy();
    await hall.restart(how);
    const back = await newClient(hall);
    await back.prompt(sessionId, [{ tell: "mode" }, { tell: "options" }]);
    expect(back.texts(sessionId)).toBe('mode: codeoptions: {"size":"l"}');
  });

  it("[C60] the list still has the session, with its title", async () => {
    const { hall, sessionId } = await cameBack();
    const client = await newClient(hall);
    expect((await client.list()).sessions).toMatchObject([{ sessionId, title: "before" }]);
  });
});

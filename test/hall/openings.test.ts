import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import type { AcpClient } from "../doubles/acp-client.ts";
import { converse, hallWith, joined, promptsTo, toAgents } from "../doubles/conversation.ts";
import { gate } from "../doubles/gate.ts";
import type { Ways } from "../doubles/scripted-agent/ways.ts";
import { startHall, type TestHall } from "../doubles/start-hall.ts";

const eventually = (look: () => unknown) => expect.poll(look, { timeout: 15_000, interval: 5 });

/** Its sessions' folder is that of the process that was started to learn what the agent can do: the first has that. */
const cwd = "work";

const processes = (hall: TestHall): number => hall.service.hall.places.taken;
const folders = (hall: TestHall): string[] => readdirSync(join(hall.state, "sessions"));
const inMemory = (hall: TestHall): string[] => hall.service.hall.sessions.live.map(({ id }) => id);

/** Nothing is left of what was begun: no process, no session, no place. */
async function nothingIsLeft(hall: TestHall): Promise<void> {
  await eventually(() => [processes(hall), inMemory(hall), folders(hall)]).toEqual([0, [], []]);
}

/** A hall with an agent that never answers `initialize`, beside one that does. */
async function withStuckSlot(roster = {}): Promise<{ hall: TestHall; client: AcpClient }> {
  const slots = { quick: { ways: {} }, stuck: { ways: { neverInitialize: true }, init_timeout: "3s" } };
  const hall = await startHall({ slots, roster });
  const client = await hall.connect();
  await client.initialize();
  // What was started to learn what the first can do is not what this is about.
  for (const agent of hall.service.hall.slots.choose("quick").agents) await agent.process.stop();
  return { hall, client };
}

const stuck = { _meta: { "hall/slot": "stuck" } };
const CANCELLED = { code: -32800 };

describe("a new session that is taken back", () => {
  it("while its agent is being initialised: the process ends and nothing stays", async () => {
    const { hall, client } = await withStuckSlot();
    const id = client.nextId;
    const asked = client.newSession(stuck);
    await eventually(() => processes(hall)).toBe(1);
    client.cancelRequest(id);
    await expect(asked).rejects.toMatchObject(CANCELLED);
    await nothingIsLeft(hall);
  });

  it("while its agent thinks about the session: the same", async () => {
    const hall = await startHall({ slots: { slow: { ways: { neverNew: true }, cwd } } });
    const client = await hall.connect();
    await client.initialize();
    const id = client.nextId;
    const asked = client.newSession();
    await eventually(() => toAgents(hall).some(({ method }) => method === "session/new")).toBe(true);
    client.cancelRequest(id);
    await expect(asked).rejects.toMatchObject(CANCELLED);
    await nothingIsLeft(hall);
  });

  it("while it waits for another start: its process is never started, and the next start goes on", async () => {
    const { hall, client } = await withStuckSlot({ limits: { start_concurrency: 1 } });
    const [first, second] = [client.nextId, client.nextId + 1];
    const asked = [client.newSession(stuck), client.newSession()] as const;
    await eventually(() => processes(hall)).toBe(2);
    client.cancelRequest(second);
    await expect(asked[1]).rejects.toMatchObject(CANCELLED);
    await eventually(() => [processes(hall), inMemory(hall).length]).toEqual([1, 1]);
    const third = client.newSession();
    client.cancelRequest(first);
    await expect(asked[0]).rejects.toMatchObject(CANCELLED);
    expect((await third).sessionId).toMatch(/^hs_/);
    expect(toAgents(hall).filter(({ method }) => method === "session/new")).toHaveLength(1);
  });

  it("by the end of its client: nothing stays, at the latest when its agent should have been there", async () => {
    const { hall, client } = await withStuckSlot({ limits: { start_concurrency: 1 } });
    void client.newSession(stuck);
    void client.newSession();
    await eventually(() => processes(hall)).toBe(2);
    client.destroy();
    await nothingIsLeft(hall);
  });

  it("when it was answered already: nobody minds, and the session is there", async () => {
    const { client } = await withStuckSlot();
    const id = client.nextId;
    const { sessionId } = await client.newSession();
    client.cancelRequest(id);
    expect(await client.prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
  });
});

/** A session that has run a turn and whose next agent holds back its answer to `session/new` until `open`. */
async function withHeldRestore(ways: Ways = {}) {
  const { path } = gate();
  writeFileSync(path, "");
  const { hall, client, sessionId } = await converse(
    { ...ways, capabilities: {}, newAfterFile: path },
    { slot: { cwd } },
  );
  await client.prompt(sessionId, "first");
  await client.closeSession(sessionId);
  await eventually(() => processes(hall)).toBe(0);
  rmSync(path);
  const restoring = async (): Promise<void> => {
    const asked = () => toAgents(hall).filter(({ method }) => method === "session/new").length;
    await eventually(asked).toBe(2);
  };
  return { hall, client, sessionId, restoring, open: () => writeFileSync(path, "") };
}

describe("while a session's agent is being restored for a prompt", () => {
  it("the session can be deleted: the prompt is cancelled, the process ends, and nothing stays", async () => {
    const { hall, client, sessionId, restoring } = await withHeldRestore();
    const prompt = client.prompt(sessionId, "second");
    await restoring();
    expect(await client.deleteSession(sessionId)).toEqual({});
    expect(await prompt).toMatchObject({ stopReason: "cancelled" });
    await nothingIsLeft(hall);
    await expect(client.load(sessionId)).rejects.toMatchObject({ code: -32002 });
  });

  it("its last client can close it: the process ends, and the session is there for the next prompt", async () => {
    const { hall, client, sessionId, restoring, open } = await withHeldRestore();
    const prompt = client.prompt(sessionId, "second");
    await restoring();
    expect(await client.closeSession(sessionId)).toEqual({});
    expect(await prompt).toMatchObject({ stopReason: "cancelled" });
    await eventually(() => [processes(hall), inMemory(hall)]).toEqual([0, []]);
    open();
    expect(await client.prompt(sessionId, "third")).toMatchObject({ stopReason: "end_turn" });
  });

  it("another can come back to it right after it was closed: its prompt waits for an agent of its own", async () => {
    const { hall, client, sessionId, restoring, open } = await withHeldRestore();
    const prompt = client.prompt(sessionId, "second");
    await restoring();
    const closed = client.closeSession(sessionId);
    const again = client.prompt(sessionId, "third");
    open();
    expect(await prompt).toMatchObject({ stopReason: "cancelled" });
    await closed;
    expect(await again).toMatchObject({ stopReason: "end_turn" });
    expect(inMemory(hall)).toEqual([sessionId]);
  });

  it("the next prompt's agent does not begin beside one that takes its time to end", async () => {
    const { hall, client, sessionId, restoring, open } = await withHeldRestore({ ignoreEof: true });
    void client.prompt(sessionId, "second");
    await restoring();
    const slow = hall.agents().at(-1)?.pid ?? 0;
    const closed = client.closeSession(sessionId);
    const { wait, reached, open: goOn } = gate();
    const again = client.prompt(sessionId, [wait]);
    open();
    await reached();
    expect(() => process.kill(slow, 0)).toThrow("ESRCH");
    goOn();
    await closed;
    expect(await again).toMatchObject({ stopReason: "end_turn" });
  });

  it("the agent can die: the prompt says so, and the next one gets another", async () => {
    const { hall, client, sessionId, restoring, open } = await withHeldRestore();
    const prompt = client.prompt(sessionId, "second");
    await restoring();
    process.kill(hall.agents().at(-1)?.pid ?? 0, "SIGKILL");
    await expect(prompt).rejects.toMatchObject({ data: { kind: "agent_exited", signal: "SIGKILL" } });
    open();
    expect(await client.prompt(sessionId, "third")).toMatchObject({ stopReason: "end_turn" });
  });

  it("its client can go: the turn runs to its end all the same", async () => {
    const { hall, client, sessionId, restoring, open } = await withHeldRestore();
    void client.prompt(sessionId, "second");
    await restoring();
    client.destroy();
    open();
    const other = await joined(hall, sessionId);
    await eventually(() => other.texts(sessionId)).toMatch(/second$/);
  });
});

describe("a prompt that waits for room", () => {
  it("starts no process for a session that was deleted meanwhile", async () => {
    const hall = await startHall({ slots: { one: { ways: {}, cwd } }, roster: { limits: { processes: 2 } } });
    const client = await hall.connect();
    const busy = await client.begin();
    const { wait, reached, open } = gate();
    const running = client.prompt(busy, [wait]);
    await reached();
    const { sessionId: waiting } = await client.newSession();
    await client.prompt(waiting, "hello");
    await client.closeSession(waiting);
    await eventually(() => processes(hall)).toBe(1);
    const { sessionId: resting } = await client.newSession();
    const prompt = client.prompt(waiting, "is there room?");
    await client.saidMeanwhile();
    await client.deleteSession(waiting);
    expect(await prompt).toMatchObject({ stopReason: "cancelled" });
    open();
    await running;
    for (const sessionId of [busy, resting]) await client.deleteSession(sessionId);
    await nothingIsLeft(hall);
    expect(toAgents(hall).filter(({ method }) => method === "initialize")).toHaveLength(hall.agents().length);
    expect(JSON.stringify(toAgents(hall))).not.toContain("is there room?");
  });
});

describe("an agent that answers with what is no answer", () => {
  it("to a prompt has broken the protocol, and its next turn runs", async () => {
    const { client, sessionId } = await converse();
    await expect(client.prompt(sessionId, [{ end: {} }])).rejects.toMatchObject({
      data: { kind: "agent_protocol" },
    });
    expect(await client.prompt(sessionId, "next")).toMatchObject({ stopReason: "end_turn" });
  });
});

describe.each(["session", "slot"])("an agent that opens no session, isolation: %s", (isolation) => {
  const MINUTE = 60_000;
  const late = { data: { kind: "init_timeout", slot: "scripted" } };
  const asked = (hall: TestHall, method: string): number =>
    toAgents(hall).filter((message) => message.method === method).length;

  it("is given up when it was silent for init_timeout, and so is the new session", async () => {
    const clock = new HandClock();
    const hall = await hallWith({ neverNew: true }, { clock, slot: { isolation, cwd } });
    const client = await hall.connect();
    await client.initialize();
    const opening = client.newSession();
    await eventually(() => asked(hall, "session/new")).toBe(1);
    clock.advance(MINUTE - 1);
    expect(await client.saidMeanwhile()).toEqual([]);
    clock.advance(1);
    await expect(opening).rejects.toMatchObject(late);
    await expect(opening).rejects.toThrow(
      /did not open the session: it said nothing for 1m \(init_timeout\)/,
    );
    await nothingIsLeft(hall);
  });

  it("and not the one that it had, either: the turn fails, and the next one tries again", async () => {
    const clock = new HandClock();
    const options = { clock, slot: { isolation, cwd } };
    const { hall, client, sessionId } = await converse({ neverRestore: true }, options);
    await expect(client.prompt(sessionId, [{ exit: 3 }])).rejects.toThrow();
    for (const times of [1, 2]) {
      const turn = client.prompt(sessionId, "again");
      await eventually(() => asked(hall, "session/resume")).toBe(times);
      clock.advance(MINUTE);
      await expect(turn).rejects.toMatchObject(late);
      await eventually(() => processes(hall)).toBe(0);
    }
    expect(promptsTo(hall)).toHaveLength(1);
  });
});

import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  truncateSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { converse, hallWith, joined, promptsTo } from "../doubles/conversation.ts";
import { gate } from "../doubles/gate.ts";
import type { TestHall } from "../doubles/start-hall.ts";
import { FaultyDisk } from "./faulty-disk.ts";

const eventually = (look: () => unknown) => expect.poll(look, { timeout: 15_000, interval: 5 });

const JOURNAL_FAILED = { code: -32000, data: { kind: "journal_failed" } };

const journalOf = (hall: TestHall, sessionId: string): string =>
  readFileSync(join(hall.state, "sessions", sessionId, "updates.jsonl"), "utf8");

const key = (name: string) => ({ "hall/turn": name });

/** A session that has run a turn, on a disk that can be filled. */
async function onFaultyDisk() {
  const disk = new FaultyDisk();
  const conversation = await converse({}, { disk });
  await conversation.client.prompt(conversation.sessionId, "first");
  return { disk, ...conversation };
}

describe("on a full disk", () => {
  it("a new session is refused, with a reason, and leaves neither a folder nor a process", async () => {
    const disk = new FaultyDisk();
    const hall = await hallWith({}, { disk, slot: { cwd: "work" } });
    const client = await hall.connect();
    await client.initialize();
    disk.fails = (name) => name === "session.jsonl";
    await expect(client.newSession()).rejects.toMatchObject(JOURNAL_FAILED);
    expect(readdirSync(join(hall.state, "sessions"))).toEqual([]);
    disk.fails = () => false;
    const { sessionId } = await client.newSession();
    expect(await client.prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
    expect(hall.agents()).toHaveLength(1);
  });

  it("a prompt that cannot be accepted is refused, and its key is free", async () => {
    const { disk, hall, client, sessionId } = await onFaultyDisk();
    disk.fails = (_name, text) => text.includes('"accepted"');
    await expect(client.prompt(sessionId, "second", key("k"))).rejects.toMatchObject(JOURNAL_FAILED);
    disk.fails = () => false;
    expect(await client.prompt(sessionId, "other words", key("k"))).toMatchObject({ stopReason: "end_turn" });
    expect(promptsTo(hall)).toHaveLength(2);
  });

  it("a turn that cannot be recorded as started does not start, and leaves no line", async () => {
    const { disk, hall, client, sessionId } = await onFaultyDisk();
    const before = journalOf(hall, sessionId);
    disk.fails = (_name, text) => text.includes('"started"');
    await expect(client.prompt(sessionId, "second")).rejects.toMatchObject(JOURNAL_FAILED);
    expect(journalOf(hall, sessionId)).toBe(before);
    disk.fails = () => false;
    await client.prompt(sessionId, "third");
    expect(promptsTo(hall).join()).not.toContain("second");
  });

  it("a turn whose prompt cannot be shown does not reach the agent, and hides no later line from its sender", async () => {
    const { disk, hall, client, sessionId } = await onFaultyDisk();
    const since = client.received.length;
    disk.fails = (name, text) => name === "updates.jsonl" && text.includes("user_message_chunk");
    await expect(client.prompt(sessionId, "x".repeat(2_000))).rejects.toMatchObject(JOURNAL_FAILED);
    disk.fails = () => false;
    await client.prompt(sessionId, [{ say: ["short", "lines", "all", "of", "them"] }]);
    expect(client.texts(sessionId, since)).toBe("shortlinesallofthem");
    expect(promptsTo(hall)).toHaveLength(2);
    const other = await joined(hall, sessionId);
    expect(other.texts(sessionId)).toBe("echo: firstshortlinesallofthem");
    expect(other.updateBytes(sessionId).toString()).toBe(journalOf(hall, sessionId));
  });

  it("a turn ends when what its agent says cannot be kept; the agent is told, and other sessions go on", async () => {
    const { disk, hall, client, sessionId } = await onFaultyDisk();
    const { sessionId: other } = await client.newSession();
    const { wait, reached, open } = gate();
    const turn = client.prompt(sessionId, [{ say: "kept" }, wait, { say: "lost" }, { wait: "cancel" }]);
    await reached();
    disk.fails = (_name, text) => text.includes('"lost"');
    open();
    await expect(turn).rejects.toMatchObject(JOURNAL_FAILED);
    expect(await client.prompt(other, "elsewhere")).toMatchObject({ stopReason: "end_turn" });
    const { received } = await client.agentSaw(sessionId);
    expect(received.some(({ method }) => method === "session/cancel")).toBe(true);
    disk.fails = () => false;
    expect(await client.prompt(sessionId, "again")).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("echo: firstkeptecho: again");
    const later = await joined(hall, sessionId);
    expect(later.texts(sessionId)).toBe("echo: firstkeptecho: again");
  });

  it("a turn whose end cannot be recorded says so, and the same to whoever comes again under its key", async () => {
    const { disk, hall, client, sessionId } = await onFaultyDisk();
    disk.fails = (_name, text) => text.includes('"ended"');
    await expect(client.prompt(sessionId, "second", key("k"))).rejects.toMatchObject(JOURNAL_FAILED);
    await expect(client.prompt(sessionId, "second", key("k"))).rejects.toMatchObject(JOURNAL_FAILED);
    disk.fails = () => false;
    await hall.restart("kill");
    const back = await joined(hall, sessionId);
    await expect(back.prompt(sessionId, "second", key("k"))).rejects.toMatchObject({
      data: { kind: "interrupted" },
    });
    expect(promptsTo(hall)).toHaveLength(2);
  });

  it("what was said of questions and settings is not known later, and nothing else comes of it", async () => {
    const { disk, client, sessionId } = await onFaultyDisk();
    disk.fails = (_name, text) => /"type":"(asked|decided|titled|settings)"/.test(text);
    const turn = client.prompt(sessionId, [
      { update: { sessionUpdate: "current_mode_update", currentModeId: "x" } },
      { update: { sessionUpdate: "session_info_update", title: "A title" } },
      { ask: { tool: { id: "t" } } },
    ]);
    (await client.question()).select("allow");
    expect(await turn).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toMatch(/asked: selected allow$/);
    expect(disk.failed).toBe(3);
  });

  it("a hall starts all the same, and lists also the session that it cannot mend yet", async () => {
    const { disk, hall, client, sessionId } = await onFaultyDisk();
    const { sessionId: other } = await client.newSession();
    const { wait, reached } = gate();
    void client.prompt(other, [wait]);
    await reached();
    const before = hall.log.length;
    disk.fails = (name, text) => name === "index.jsonl" || text.includes("interrupted");
    await hall.restart("kill");
    const back = await hall.connect();
    await back.initialize();
    const listed = (await back.list()).sessions.map(({ sessionId: id }) => id);
    expect(listed.sort()).toEqual([sessionId, other].sort());
    expect(hall.log.slice(before).join("\n")).toContain(`session ${other} cannot be mended yet`);
    await expect(back.load(other)).rejects.toMatchObject(JOURNAL_FAILED);
    await back.load(sessionId);
  });

  it("a journal that cannot be read ends the connection that wanted it, and nothing else", async () => {
    const { hall, client, sessionId } = await onFaultyDisk();
    const { sessionId: other } = await client.newSession();
    truncateSync(join(hall.state, "sessions", sessionId, "updates.jsonl"), 10);
    const reader = await hall.connect();
    await reader.initialize();
    await expect(reader.load(sessionId)).rejects.toThrow("was not answered");
    expect(hall.log.join("\n")).toContain("could not be read to");
    expect(await client.prompt(other, "elsewhere")).toMatchObject({ stopReason: "end_turn" });
  });

  it.skipIf(process.platform !== "linux")("nothing is held open when it was quiet for a while", async () => {
    const { hall, client, sessionId } = await onFaultyDisk();
    await client.closeSession(sessionId);
    const openFiles = (): string[] =>
      readdirSync("/proc/self/fd").flatMap((fd) => {
        try {
          return [readlinkSync(`/proc/self/fd/${fd}`)];
        } catch {
          return [];
        }
      });
    await eventually(() =>
      openFiles().filter((file) => file.startsWith(join(hall.state, "sessions"))),
    ).toEqual([]);
  });
});

describe("a hall that starts on a full disk after a kill", () => {
  const isFull = (name: string): boolean => name === "session.jsonl" || name === "updates.jsonl";

  /** A session in which a turn was cut off and a prompt waited, and the next hall, which can mend neither yet. */
  async function cutOff() {
    const [clock, disk] = [new HandClock(), new FaultyDisk()];
    const { hall, client, sessionId } = await converse({}, { clock, disk });
    void client.prompt(sessionId, [{ say: "so far" }, { wait: "forever" }], key("cut"));
    await client.hears("so far");
    void client.prompt(sessionId, "waited", key("waits"));
    await client.saidMeanwhile();
    disk.fails = isFull;
    await hall.restart("kill");
    const back = await hall.connect();
    await back.initialize();
    return { clock, disk, hall, back, sessionId };
  }

  it("knows its sessions, and mends what was cut off when there is room", async () => {
    const { disk, back, sessionId } = await cutOff();
    expect((await back.list()).sessions).toMatchObject([{ sessionId }]);
    await expect(back.resume(sessionId)).rejects.toMatchObject(JOURNAL_FAILED);
    disk.fails = () => false;
    await back.load(sessionId);
    expect(back.texts(sessionId)).toContain("so far");
    const again = [{ say: "so far" }, { wait: "forever" as const }];
    await expect(back.prompt(sessionId, again, key("cut"))).rejects.toMatchObject({
      data: { kind: "interrupted" },
    });
  });

  it("runs what waited when there is room, though nobody asks", async () => {
    const { clock, disk, hall } = await cutOff();
    clock.advance(10_000);
    expect(hall.log.filter((line) => line.includes("cannot be run yet"))).toHaveLength(1);
    disk.fails = () => false;
    clock.advance(10_000);
    await eventually(() => promptsTo(hall).filter((prompt) => prompt.includes('"waited"')).length).toBe(1);
  });

  it("leaves both to the next one when there never is room", async () => {
    const { disk, hall, sessionId } = await cutOff();
    await hall.stop();
    disk.fails = () => false;
    await hall.start();
    await eventually(() => promptsTo(hall).filter((prompt) => prompt.includes('"waited"')).length).toBe(1);
    expect((await joined(hall, sessionId)).texts(sessionId)).toContain("so far");
  });
});

it("a session whose record could not be read at a start is there as soon as it can be", async () => {
  const { hall, client, sessionId } = await onFaultyDisk();
  client.destroy();
  await eventually(() => hall.service.hall.sessions.findLive(sessionId)?.hasAgent ?? false).toBe(true);
  const record = (): string => join(hall.state, "sessions", sessionId, "session.jsonl");
  renameSync(record(), `${record()}.aside`);
  mkdirSync(record());
  await hall.restart("kill");
  const back = await hall.connect();
  await back.initialize();
  await expect(back.load(sessionId)).rejects.toMatchObject(JOURNAL_FAILED);
  await hall.restart("stop");
  rmdirSync(record());
  renameSync(`${record()}.aside`, record());
  const later = await joined(hall, sessionId);
  expect(later.texts(sessionId)).toBe("echo: first");
  await hall.restart("stop");
  expect((await joined(hall, sessionId)).texts(sessionId)).toBe("echo: first");
});

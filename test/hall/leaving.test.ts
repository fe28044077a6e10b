import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { runs } from "../agent-processes/workshop.ts";
import { converse, hallWith, joined, promptsTo } from "../doubles/conversation.ts";
import { gate } from "../doubles/gate.ts";
import type { TestHall } from "../doubles/start-hall.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

const eventually = (look: () => unknown) => expect.poll(look, { timeout: 15_000, interval: 5 });

const inMemory = (hall: TestHall): string[] => hall.service.hall.sessions.live.map(({ id }) => id);
const onDisk = (hall: TestHall): string[] => readdirSync(join(hall.state, "sessions"));

/** The sessions' folder is that of the process that was started to learn what the agent can do: the first has that. */
const slot = { cwd: "work" };

describe("a session in which nothing was asked yet", () => {
  it("ends with its client", async () => {
    const { hall, client, sessionId } = await converse({}, { slot });
    expect(onDisk(hall)).toEqual([sessionId]);
    client.destroy();
    await eventually(() => [onDisk(hall), inMemory(hall)]).toEqual([[], []]);
  });

  it("ends with its client also when that had closed it", async () => {
    const { hall, client, sessionId } = await converse({}, { slot });
    await client.closeSession(sessionId);
    await eventually(() => inMemory(hall)).toEqual([]);
    expect(onDisk(hall)).toEqual([sessionId]);
    client.destroy();
    await eventually(() => onDisk(hall)).toEqual([]);
  });

  it("stays for whoever else looks at it, and is theirs once they asked something in it", async () => {
    const { hall, client, sessionId } = await converse({}, { slot });
    await client.closeSession(sessionId);
    await eventually(() => inMemory(hall)).toEqual([]);
    const other = await joined(hall, sessionId);
    await other.prompt(sessionId, "mine now");
    await client.close();
    await eventually(() => hall.service.hall.clients.size).toBe(1);
    expect(await other.prompt(sessionId, "still here")).toMatchObject({ stopReason: "end_turn" });
    expect((await other.list()).sessions).toMatchObject([{ sessionId, title: "mine now" }]);
    await other.close();
    await eventually(() => hall.service.hall.clients.size).toBe(0);
    expect(onDisk(hall)).toEqual([sessionId]);
  });
});

describe("a session leaves the memory", () => {
  it("when it was closed and its agent is gone, and comes back when it is asked for", async () => {
    const { hall, client, sessionId } = await converse({}, { slot });
    await client.prompt(sessionId, "hello");
    await client.closeSession(sessionId);
    await eventually(() => inMemory(hall)).toEqual([]);
    await client.load(sessionId);
    expect(inMemory(hall)).toEqual([sessionId]);
    expect(client.userTexts(sessionId)).toBe("hello");
  });

  it("when whoever looked at it is gone", async () => {
    const { hall, client, sessionId } = await converse({}, { slot });
    await client.prompt(sessionId, "hello");
    await client.closeSession(sessionId);
    await eventually(() => inMemory(hall)).toEqual([]);
    const other = await joined(hall, sessionId);
    other.destroy();
    await eventually(() => inMemory(hall)).toEqual([]);
  });

  it("when a request named it and came to nothing", async () => {
    const { hall, client, sessionId } = await converse({}, { slot });
    await client.prompt(sessionId, "hello");
    await client.closeSession(sessionId);
    await eventually(() => inMemory(hall)).toEqual([]);
    await expect(client.load(sessionId, { cwd: "/" })).rejects.toMatchObject({ code: -32602 });
    await client.closeSession(sessionId);
    await client.saidMeanwhile();
    expect(inMemory(hall)).toEqual([]);
  });

  it("but not while a turn runs in it that nobody looks at", async () => {
    const { hall, client, sessionId } = await converse({}, { slot });
    const { wait, reached, open } = gate();
    void client.prompt(sessionId, [wait, { say: "done" }]);
    await reached();
    client.destroy();
    await eventually(() => [...hall.service.hall.clients].every(({ gone }) => gone)).toBe(true);
    expect(inMemory(hall)).toEqual([sessionId]);
    const other = await joined(hall, sessionId);
    open();
    await other.hears("done");
  });
});

describe("a client that ends and does not read", () => {
  it("holds up nobody, however much waits for it", async () => {
    const { hall, client, sessionId } = await converse();
    const deaf = await joined(hall, sessionId);
    deaf.stopReading();
    // In one line: it has all of it to send, and reads nothing from the journal.
    await client.prompt(sessionId, [{ bigText: 20_000_000 }]);
    deaf.end();
    await eventually(() => [...hall.service.hall.clients].some(({ gone }) => gone)).toBe(true);
    expect(await client.prompt(sessionId, [{ bigText: 1_000_000 }])).toMatchObject({
      stopReason: "end_turn",
    });
    expect(await client.saidMeanwhile()).toEqual([]);
    deaf.readAgain();
    await deaf.closed;
  });
});

describe("closing a session", () => {
  it("is answered each time, also to a client that asks twice before it has read the first answer", async () => {
    const { client, sessionId } = await converse();
    await client.prompt(sessionId, "hello");
    client.stopReading();
    const closed = [client.closeSession(sessionId), client.closeSession(sessionId)];
    const load = client.load(sessionId);
    client.readAgain();
    expect(await Promise.all(closed)).toEqual([{}, {}]);
    await load;
  });
});

describe("a session that is closed", () => {
  it("ends what runs in its terminals at once, however long its agent takes to end", async () => {
    const clock = new HandClock();
    const { client, sessionId } = await converse({ ignoreEof: true, ignoreSigterm: true }, { clock, slot });
    const pidFile = join(temporaryFolder(), "pid");
    const command = {
      command: "sh",
      args: ["-c", `echo $$ > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; sleep 600`],
    };
    await client.prompt(sessionId, [{ call: { method: "terminal/create", params: command } }]);
    await eventually(() => existsSync(pidFile)).toBe(true);
    const pid = Number(readFileSync(pidFile, "utf8"));
    void client.closeSession(sessionId);
    await eventually(() => runs(pid)).toBe(false);
  });
});

describe("a hall that stops", () => {
  it("lets what runs go on for a while, and begins nothing new", async () => {
    const { hall, client, sessionId } = await converse();
    const { wait, reached, open } = gate();
    const running = client.prompt(sessionId, [wait, { say: "done" }]);
    await reached();
    const stopped = hall.service.stop(60_000);
    for (const asked of [
      client.prompt(sessionId, "one more"),
      client.newSession(),
      client.setMode(sessionId, "code"),
      client.request("_vendor/x", { sessionId }),
    ])
      await expect(asked).rejects.toMatchObject({ data: { kind: "shutting_down" } });
    open();
    expect(await running).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("done");
    await stopped;
    expect(promptsTo(hall)).toHaveLength(1);
  });

  it("stops also where nothing escalates and an agent does not end its turn", async () => {
    const roster = { cancel_grace: 0 };
    const { hall, client, sessionId } = await converse({ ignoreCancel: true }, { roster });
    const turn = client.prompt(sessionId, [{ say: "hanging" }, { wait: "forever" }]);
    await client.hears("hanging");
    const stopped = hall.service.stop(10);
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    await stopped;
  });
});

describe("a session that is deleted", () => {
  it("is gone also where nothing escalates and its agent does not end its turn", async () => {
    const roster = { cancel_grace: 0 };
    const { hall, client, sessionId } = await converse({ ignoreCancel: true }, { roster, slot });
    const turn = client.prompt(sessionId, [{ say: "hanging" }, { wait: "forever" }]);
    await client.hears("hanging");
    expect(await client.deleteSession(sessionId)).toEqual({});
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    await eventually(() => [onDisk(hall), inMemory(hall), hall.service.hall.places.taken]).toEqual([
      [],
      [],
      0,
    ]);
  });

  it("is gone while turns of several clients wait in it: each is answered", async () => {
    const { hall, client, sessionId } = await converse({}, { slot });
    const other = await joined(hall, sessionId);
    const { wait, reached } = gate();
    const turns = [client.prompt(sessionId, [wait])];
    await reached();
    turns.push(client.prompt(sessionId, "b"), other.prompt(sessionId, "c"), other.prompt(sessionId, "d"));
    await other.saidMeanwhile();
    expect(await other.deleteSession(sessionId)).toEqual({});
    for (const turn of turns) expect(await turn).toMatchObject({ stopReason: "cancelled" });
    expect(await client.deleteSession(sessionId)).toEqual({});
    expect(onDisk(hall)).toEqual([]);
  });

  it("is deleted once, by whoever is first", async () => {
    const hall = await hallWith({}, { slot });
    const client = await hall.connect();
    const sessionId = await client.begin();
    await client.prompt(sessionId, "hello");
    const deleted = [1, 2, 3].map(() => client.deleteSession(sessionId));
    expect(await Promise.all(deleted)).toEqual([{}, {}, {}]);
    expect([onDisk(hall), inMemory(hall)]).toEqual([[], []]);
  });
});

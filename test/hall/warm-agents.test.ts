import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { hallWith, toAgents } from "../doubles/conversation.ts";
import { eventually } from "../doubles/eventually.ts";
import type { JsonObject, Ways } from "../doubles/scripted-agent/ways.ts";
import { startHall, type TestHall } from "../doubles/start-hall.ts";

const running = (hall: TestHall): number => hall.service.hall.slots.choose(undefined).agents.size;
const asked = (hall: TestHall, wanted: string): number =>
  toAgents(hall).filter(({ method }) => method === wanted).length;

/** A hall that keeps two processes warm, once they are ready. */
async function warmHall(ways: Ways = {}, roster: JsonObject = {}, slot: JsonObject = {}) {
  const clock = new HandClock();
  const hall = await hallWith(ways, { clock, roster, slot: { warm: 2, ...slot } });
  const ready = (count: number) =>
    eventually(() => [asked(hall, "initialize"), running(hall)]).toEqual([count, 2]);
  return { clock, hall, ready };
}

describe("warm processes", () => {
  it("are started with the hall, and a session takes one, in any folder; another takes its place", async () => {
    const { hall, ready } = await warmHall();
    await ready(2);
    const pids = hall.agents().map(({ pid }) => pid);
    const client = await hall.connect();
    await client.initialize();
    const { sessionId } = await client.newSession({ cwd: "/" });
    await client.prompt(sessionId, [{ tell: "pid" }]);
    expect(pids.map((pid) => `pid: ${pid}`)).toContain(client.texts(sessionId));
    await eventually(() => [asked(hall, "initialize"), running(hall)]).toEqual([3, 3]);
  });

  it("are what a first client learns from, and what the session that comes at once waits for", async () => {
    const { hall } = await warmHall({ initializeDelay: 200 }, {}, { warm: 1 });
    const client = await hall.connect();
    const sessionId = await client.begin();
    await client.prompt(sessionId, [{ tell: "pid" }]);
    expect(client.texts(sessionId)).toBe(`pid: ${hall.agents()[0]?.pid}`);
  });

  it("are replaced when they die, and never handed out dead", async () => {
    const { clock, hall, ready } = await warmHall();
    await ready(2);
    const client = await hall.connect();
    await client.initialize();
    for (const { pid } of hall.agents()) process.kill(pid, "SIGKILL");
    const { sessionId } = await client.newSession();
    clock.advance(1_000);
    expect(await client.prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
    await eventually(() => running(hall)).toBe(3);
  });

  it("make room at once for a session that cannot have one, and come back when there is room", async () => {
    const slots = { other: { ways: {}, cwd: "work" }, scripted: { ways: {}, warm: 2 } };
    const clock = new HandClock();
    const hall = await startHall({ slots, clock, roster: { limits: { processes: 2 } } });
    const warm = (): number => hall.service.hall.slots.choose("scripted").agents.size;
    await eventually(() => asked(hall, "initialize")).toBe(2);
    const client = await hall.connect();
    await client.initialize({ _meta: { "hall/control": true } });
    const { sessionId } = await client.newSession();
    await client.prompt(sessionId, "hello");
    expect([warm(), hall.service.hall.places.taken]).toEqual([1, 2]);
    clock.advance(5_000);
    expect(hall.service.hall.places.taken).toBe(2);
    await client.deleteSession(sessionId);
    await eventually(() => hall.service.hall.places.taken).toBe(1);
    clock.advance(5_000);
    await eventually(warm).toBe(2);
  });

  it("go when nobody has used the slot for its idle_timeout, and come back with the next session", async () => {
    const { clock, hall, ready } = await warmHall({}, {}, { idle_timeout: "10m" });
    await ready(2);
    clock.advance(10 * 60_000);
    await eventually(() => running(hall)).toBe(0);
    const client = await hall.connect();
    await client.initialize();
    await client.newSession();
    await eventually(() => running(hall)).toBe(3);
  });

  it("are made anew when somebody logged in: those of before may not know", async () => {
    const authMethods = [{ id: "key", name: "Key" }];
    const { hall, ready } = await warmHall({ authMethods });
    await ready(2);
    const client = await hall.connect();
    await client.initialize();
    await client.authenticate("key");
    await eventually(() => asked(hall, "initialize")).toBe(5);
    await eventually(() => running(hall)).toBe(3);
  });

  it("that cannot be started are not tried again and again; a session tries, and is told why", async () => {
    const { clock, hall } = await warmHall({ exitAtStart: { code: 3 } });
    await eventually(() => hall.log.join("\n")).toContain("no process is kept warm for now");
    clock.advance(60_000);
    expect(running(hall)).toBe(0);
    const client = await hall.connect();
    await client.initialize({ _meta: { "hall/control": true } });
    await expect(client.newSession()).rejects.toMatchObject({ data: { kind: "agent_exited" } });
  });

  it("is one, where all sessions share it", async () => {
    const { clock, hall } = await warmHall({}, {}, { isolation: "slot", idle_timeout: "10m" });
    await eventually(() => asked(hall, "initialize")).toBe(1);
    const client = await hall.connect();
    const sessionId = await client.begin();
    await client.prompt(sessionId, "hello");
    clock.advance(5 * 60_000);
    await client.prompt(sessionId, "hello again");
    clock.advance(6 * 60_000);
    expect(running(hall)).toBe(1);
    expect(await client.prompt(sessionId, "and again")).toMatchObject({ stopReason: "end_turn" });
    expect(hall.agents()).toHaveLength(1);
  });
});

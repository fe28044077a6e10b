import { expect, it } from "vitest";
import { connectSocket } from "../../src/wire/tcp.ts";
import type { AcpClient } from "../doubles/acp-client.ts";
import { startHall, type TestHall } from "../doubles/start-hall.ts";

async function admin(hall: TestHall): Promise<AcpClient> {
  const client = hall.over(await connectSocket({ path: hall.service.addresses.unix }));
  await client.initialize({ _meta: { "hall/control": true } });
  return client;
}

const eventsTo = (client: AcpClient): Record<string, unknown>[] =>
  client.messages.filter(({ method }) => method === "_hall/event").map(({ params }) => Object(params));

it("what happens is told as it happens, with ids and without content", async () => {
  const hall = await startHall({
    slots: { scripted: { ways: {} } },
    roster: { queue: { limit: 1 } },
  });
  const [everything, turns] = [await admin(hall), await admin(hall)];
  await everything.request("_hall/events");
  await turns.request("_hall/events", { filter: ["turn.ref", "session_error"] });
  await expect(everything.request("_hall/events", { filter: [1] })).rejects.toMatchObject({ code: -32602 });
  const client = await hall.connect();
  const sessionId = await client.begin();
  const hanging = client.prompt(sessionId, [{ say: "the content" }, { wait: "forever" }], {
    "hall/turn": "one",
  });
  await client.sees(({ params }) => JSON.stringify(params ?? "").includes("the content"));
  const waiting = client.prompt(sessionId, "waits", { "hall/turn": "two" });
  await expect(client.prompt(sessionId, "too many")).rejects.toMatchObject({ data: { kind: "queue_full" } });
  await expect(client.prompt(sessionId, "other", { "hall/turn": "two" })).rejects.toMatchObject({
    code: -32602,
  });
  await expect(client.prompt("hs_nobody", "x")).rejects.toMatchObject({ code: -32002 });
  await everything.request("_hall/kill", { sessionId });
  await Promise.all([hanging, waiting]);
  const asking = client.prompt(sessionId, [{ ask: { tool: { id: "t", title: "secret title" } } }]);
  (await client.question()).select("allow");
  await asking;
  await everything.request("_hall/session/reset", { sessionId });
  await client.closeSession(sessionId);
  await client.deleteSession(sessionId);
  client.destroy();
  await everything.sees(({ params }) => Object(params).type === "client.closed");

  const told = eventsTo(everything);
  expect(new Set(told.map(({ type }) => type))).toEqual(
    new Set([
      ...["client.connected", "client.admitted", "client.closed"],
      ...["session.created", "session.bound", "session.reset", "session.closed", "session.deleted"],
      ...["turn.queued", "turn.started", "turn.refused", "turn.ended"],
      ...["process.started", "process.killed", "process.exited"],
      ...["question.asked", "question.answered"],
    ]),
  );
  const about = told.filter(({ type }) => !/^(client|process)\.|turn.refused/.test(String(type)));
  expect(new Set(about.map((event) => event.sessionId))).toEqual(new Set([sessionId]));
  expect(told.every(({ ts }) => !Number.isNaN(Date.parse(String(ts))))).toBe(true);
  expect(JSON.stringify(told)).not.toMatch(/the content|secret title|too many/);
  const refused = [
    { type: "turn.refused", sessionId, kind: "queue_full" },
    { type: "turn.refused", sessionId, kind: "key_reused" },
    { type: "turn.refused", kind: "not_found" },
  ];
  expect(eventsTo(turns)).toMatchObject(refused);
  expect(eventsTo(turns)[2]).not.toHaveProperty("sessionId");
});

it("a subscriber that does not read costs no memory and holds nobody up; it is told how many it missed", async () => {
  const hall = await startHall({ slots: { scripted: { ways: {} } } });
  const [slow, quick] = [await admin(hall), await admin(hall)];
  await slow.request("_hall/events", { filter: "client.denied" });
  await quick.request("_hall/events", { filter: "client.denied" });
  slow.stopReading();
  const { events, clients } = hall.service.hall;
  const before = process.memoryUsage().arrayBuffers;
  const rounds = 100;
  const each = 500;
  for (let round = 0; round < rounds; round++) {
    for (let one = 0; one < each; one++)
      events.emit("client.denied", { client: "x", as: "y".repeat(100), method: "z", scope: "admin" });
    // Whoever reads has read it.
    await quick.saidMeanwhile();
  }
  expect(eventsTo(quick)).toHaveLength(rounds * each);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 2 ** 20);
  expect([...clients].filter(({ blocked }) => blocked)).toHaveLength(1);
  slow.readAgain();
  await slow.sees(({ params }) => Object(params).type === "events.dropped");
  const told = eventsTo(slow);
  const dropped = Number(told.find(({ type }) => type === "events.dropped")?.count);
  expect(dropped).toBeGreaterThan(rounds * each * 0.5);
  expect(told.length - 1 + dropped).toBe(rounds * each);
});

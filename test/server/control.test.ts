import { expect, it } from "vitest";
import { HallMethod } from "../../src/acp/extensions.ts";
import { systemClock } from "../../src/ground/clock.ts";
import { dialWebSocket } from "../../src/wire/dial-websocket.ts";
import { connectSocket } from "../../src/wire/tcp.ts";
import type { Transport } from "../../src/wire/transport.ts";
import type { AcpClient } from "../doubles/acp-client.ts";
import { eventually } from "../doubles/eventually.ts";
import { gate } from "../doubles/gate.ts";
import { startHall, type TestHall } from "../doubles/start-hall.ts";

const NOTIFICATIONS: ReadonlySet<string> = new Set([
  HallMethod.farewell,
  HallMethod.cursor,
  HallMethod.event,
  HallMethod.logEntry,
]);
const METHODS = Object.values(HallMethod).filter((method) => !NOTIFICATIONS.has(method));

const WAYS: Record<string, (hall: TestHall, token: string) => Promise<Transport>> = {
  "the UNIX socket": (hall) => connectSocket({ path: hall.service.addresses.unix }),
  TCP: (hall) => tcp(hall),
  WebSocket: ({ service }, token) =>
    dialWebSocket({ url: `ws://${service.addresses.http}/acp`, token, tls: {}, clock: systemClock }),
};

async function tcp(hall: TestHall): Promise<Transport> {
  const [host = "", port] = (hall.service.addresses.tcp ?? "").split(/:(?=\d+$)/);
  return connectSocket({ host, port: Number(port) });
}

/** A hall in which nobody is let in without a token, but on its own socket. */
const guarded = (): Promise<TestHall> =>
  startHall({
    slots: {
      scripted: { ways: { idPrefix: "agent-" }, concurrency: 2, isolation: "session" },
      other: { ways: {} },
    },
    roster: { listen: { tcp: "127.0.0.1:0", http: "127.0.0.1:0" } },
    strangers: true,
  });

/** What differs from hall to hall, and from run to run, is not compared. */
function comparable(value: unknown, hall: TestHall, ids: readonly string[]): unknown {
  const text = JSON.stringify(value, (key, inner) => {
    if (typeof inner !== "number") return inner;
    return /Ms$|Bytes$|^(ms|bytes|cursor|from|to|pid|process|processes|clients)$/.test(key)
      ? "number"
      : inner;
  });
  const named = ids.reduce((rest, id, at) => rest.replaceAll(id, `<${at}>`), text);
  const plain = named
    .replaceAll(hall.folder, "<folder>")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{8}\b/g, "<journal>")
    .replaceAll(/hall-test-\w+/g, "<other folder>")
    .replaceAll(/client-\d+(, token \w+)?/g, "<client>");
  return JSON.parse(plain);
}

/** Everything that an admin may ask, of a hall in which something goes on. Answers all that was answered. */
async function conversation(hall: TestHall, admin: AcpClient): Promise<[string, unknown][]> {
  const answers: [string, unknown][] = [];
  const ask = async (method: string, params: object = {}): Promise<unknown> => {
    const answer = await admin
      .request(method, params)
      .catch(({ code, message, data }) => ({ code, message, data }));
    answers.push([method, answer]);
    return answer;
  };
  const worker = await hall.connect();
  await worker.initialize({ _meta: { "hall/token": hall.token("worker") } });
  const { sessionId } = await worker.newSession();
  const point = gate();
  const first = worker.prompt(sessionId, [{ stderr: "on stderr\n" }, point.wait], { "hall/turn": "first" });
  await point.reached();
  const second = worker.prompt(sessionId, "two", { "hall/turn": "second" });
  const third = worker.prompt(sessionId, "three", { "hall/turn": "third" });
  await worker.saidMeanwhile();
  await eventually(() => JSON.stringify(hall.service.hall.log.of({ sessionId }))).toContain("on stderr");

  await ask("_hall/ping");
  await ask("_hall/status");
  await ask("_hall/slots");
  await ask("_hall/sessions");
  await ask("_hall/sessions", { sessionId: sessionId.slice(0, 7) });
  await ask("_hall/sessions", { sessionId: "hs_nobody" });
  await ask("_hall/turns");
  await ask("_hall/events", { filter: "turn." });
  await ask("_hall/logs", { sessionId, follow: true });
  await ask("_hall/logs", { slot: "scripted" });
  await ask("_hall/logs", { slot: "scripted", sessionId });
  await ask("_hall/logs", { slot: "none" });

  await ask("_hall/queue/drop", { turn: "sec", sessionId });
  expect(await second).toMatchObject({ stopReason: "cancelled" });
  await ask("_hall/queue/drop", { turn: "first" });
  await ask("_hall/queue/drop", { turn: "second" });
  await ask("_hall/queue/drop", { turn: "nothing" });
  await ask("_hall/cancel", { sessionId });
  expect([await first, await third]).toMatchObject([
    { stopReason: "cancelled" },
    { stopReason: "cancelled" },
  ]);
  await ask("_hall/cancel", { sessionId });
  await ask("_hall/cancel", { sessionId: "hs_nobody" });

  const asking = worker.prompt(sessionId, [
    { ask: { tool: { id: "t", title: "Run make", kind: "execute" } } },
  ]);
  await worker.question();
  const [question] = Object(await ask("_hall/permissions", { sessionId })).questions;
  await ask("_hall/permission/answer", { question: question.question, allow: "yes" });
  await ask("_hall/permission/answer", { question: question.question, allow: true });
  await ask("_hall/permission/answer", { question: question.question, allow: true });
  await asking;
  await ask("_hall/permission/rules", { sessionId });
  await ask("_hall/permission/log", { sessionId });

  const hanging = worker.prompt(sessionId, [{ say: "hanging" }, { wait: "forever" }], {
    "hall/turn": "hangs",
  });
  await worker.sees(({ params }) => JSON.stringify(params ?? "").includes('"hanging"'));
  await ask("_hall/kill", { sessionId });
  expect(await hanging).toMatchObject({ stopReason: "cancelled" });
  await ask("_hall/kill", { sessionId });
  await ask("_hall/session/reset", { sessionId });
  await ask("_hall/reload");
  await ask("_hall/nothing");
  await ask("_hall/stop");
  const ids = [sessionId, ...admin.messages.flatMap(({ params }) => turnsIn(params))];
  const told = admin.messages.filter(({ method }) => method === "_hall/event" || method === "_hall/log");
  return [
    ...answers.map(([method, answer]): [string, unknown] => [method, comparable(answer, hall, ids)]),
    ["told", comparable(told, hall, ids)],
  ];
}

const turnsIn = (params: unknown): string[] => {
  const { turn } = Object(params);
  return typeof turn === "string" && turn.startsWith("turn_") ? [turn] : [];
};

it("every control method does the same over the UNIX socket, TCP and WebSocket", async () => {
  const heard = [];
  for (const [way, reach] of Object.entries(WAYS)) {
    const hall = await guarded();
    const token = hall.token("chief", { scopes: ["admin"] });
    const admin = hall.over(await reach(hall, token));
    await admin.initialize(way === "TCP" ? { _meta: { "hall/token": token } } : {});
    const { service } = hall;
    heard.push(await conversation(hall, admin));
    await service.stop(0);
  }
  const [unix = [], ...others] = heard;
  for (const other of others) expect(other).toEqual(unix);
  expect(new Set(unix.map(([method]) => method))).toEqual(new Set([...METHODS, "_hall/nothing", "told"]));

  const said = (method: string): unknown[] =>
    unix.filter(([one]) => one === method).map(([, answer]) => answer);
  expect(said("_hall/status")).toMatchObject([
    {
      roster: { file: "<folder>/hall.yml", loadedAt: "<time>", changedOnDisk: expect.any(Boolean) },
      disk: { writable: true },
      slots: [{ turns: 1 }, {}],
    },
  ]);
  expect(said("_hall/slots")).toMatchObject([
    {
      slots: [
        {
          name: "scripted",
          default: true,
          concurrency: 2,
          agents: expect.arrayContaining([expect.objectContaining({ sessionIds: ["<0>"] })]),
        },
        { name: "other", default: false, agents: [] },
      ],
    },
  ]);
  expect(said("_hall/turns")).toMatchObject([
    {
      turns: [
        { turn: "first", sessionId: "<0>", slot: "scripted", state: "running" },
        { turn: "second", state: "queued", position: 1, waitsFor: "session" },
        { turn: "third", state: "queued", position: 2, waitsFor: "session" },
      ],
    },
  ]);
  expect(said("_hall/queue/drop")).toMatchObject([
    { turn: "second", sessionId: "<0>" },
    { code: -32602, message: "Turn first does not wait any more: it runs; hall cancel <0> ends it." },
    { code: -32602, message: "Turn second does not wait any more: it is over; hall queue shows what waits." },
    { code: -32602, message: expect.stringContaining("nothing of that name runs or waits") },
  ]);
  expect(said("_hall/cancel")).toMatchObject([
    { turns: ["first", "third"] },
    { turns: [] },
    { code: -32002, data: { sessionId: "hs_nobody" } },
  ]);
  expect(said("_hall/permissions")).toMatchObject([{ questions: [{ sessionId: "<0>", title: "Run make" }] }]);
  expect(said("_hall/permission/answer")).toMatchObject([{ code: -32602 }, {}, { code: -32602 }]);
  expect(said("_hall/kill")).toEqual([
    { sessionId: "<0>", turns: ["hangs"], agent: "killed" },
    { sessionId: "<0>", turns: [], agent: "none" },
  ]);
  expect(said("_hall/logs")).toMatchObject([
    {
      sessionId: "<0>",
      dropped: 0,
      entries: expect.arrayContaining([expect.objectContaining({ text: "on stderr" })]),
    },
    { slot: "scripted" },
    { code: -32602 },
    { code: -32602, message: expect.stringContaining("there are: scripted, other") },
  ]);
  expect(said("_hall/nothing")).toMatchObject([{ code: -32601 }]);
});

it("without the scope admin every control method is refused, whatever it is about", async () => {
  const hall = await guarded();
  const token = hall.token("worker", { scopes: ["prompt", "approve"] });
  const client = await hall.connect();
  await client.initialize({ _meta: { "hall/token": token } });
  const { sessionId } = await client.newSession();
  for (const method of [...METHODS, "_hall/nothing"]) {
    const asked = client.request(method, {
      sessionId,
      slot: "scripted",
      turn: "t",
      question: "q",
      allow: true,
    });
    if (method === HallMethod.ping) await asked;
    else
      await expect(asked).rejects.toMatchObject({
        code: -32000,
        data: { kind: "not_authorized", scope: "admin" },
      });
  }
});

import { join } from "node:path";
import { expect, it } from "vitest";
import { converse, hallWith } from "../doubles/conversation.ts";
import { eventually } from "../doubles/eventually.ts";
import { gate } from "../doubles/gate.ts";
import type { TestHall } from "../doubles/start-hall.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

const OWN = { slot: { isolation: "session" } };

const sessionIn = (hall: TestHall, id: string) => hall.service.hall.sessions.get(id);

it("a kill ends an agent that heeds nothing, at once; it counts as no crash, and the next prompt restores the session", async () => {
  const { hall, client, sessionId } = await converse(
    { ignoreEof: true, ignoreSigint: true, ignoreSigterm: true },
    OWN,
  );
  await client.prompt(sessionId, "first words");
  const running = client.prompt(sessionId, [{ say: "running" }, { wait: "forever" }]);
  const waiting = client.prompt(sessionId, "waits");
  await client.sees(({ params }) => JSON.stringify(params ?? "").includes("running"));
  const killed = await sessionIn(hall, sessionId).kill();
  expect(killed).toMatchObject({ agent: "killed", turns: [expect.any(String), expect.any(String)] });
  expect([await running, await waiting]).toMatchObject([
    { stopReason: "cancelled" },
    { stopReason: "cancelled" },
  ]);
  expect([...hall.service.hall.slots.all].map(({ failed }) => failed)).toEqual([undefined]);
  expect(await client.prompt(sessionId, "again")).toMatchObject({ stopReason: "end_turn" });
});

it("a kill of an idle session ends its agent too; without an agent it ends nothing", async () => {
  const { hall, client, sessionId } = await converse({}, OWN);
  await client.prompt(sessionId, "hello");
  const session = sessionIn(hall, sessionId);
  expect(await session.kill()).toEqual({ turns: [], agent: "killed" });
  expect(session.hasAgent).toBe(false);
  expect(await session.kill()).toEqual({ turns: [], agent: "none" });
});

it("a kill while the agent is being restored ends that, and the turn that waits for it is cancelled", async () => {
  const { hall, client, sessionId } = await converse({ neverRestore: true }, OWN);
  await client.prompt(sessionId, "hello");
  await sessionIn(hall, sessionId).kill();
  const waiting = client.prompt(sessionId, "again");
  await eventually(() => sessionIn(hall, sessionId).hasAgent).toBe(true);
  await eventually(() => hall.agents().length).toBeGreaterThan(1);
  await sessionIn(hall, sessionId).kill();
  expect(await waiting).toMatchObject({ stopReason: "cancelled" });
  expect(sessionIn(hall, sessionId).hasAgent).toBe(false);
});

it("a process in which another session's turn runs is left to it; when none does, it is killed", async () => {
  const stateFile = join(temporaryFolder(), "agent-state");
  const hall = await hallWith({ stateFile }, { slot: { isolation: "slot" } });
  const client = await hall.connect();
  const one = await client.begin();
  const { sessionId: two } = await client.newSession();
  const point = gate();
  const others = client.prompt(two, [point.wait, { say: "undisturbed" }]);
  await point.reached();
  const mine = client.prompt(one, [{ say: "running" }, { wait: "forever" }]);
  await client.sees(({ params }) => JSON.stringify(params ?? "").includes("running"));
  expect(await sessionIn(hall, one).kill()).toMatchObject({ agent: "left to others" });
  expect(await mine).toMatchObject({ stopReason: "cancelled" });
  point.open();
  expect(await others).toMatchObject({ stopReason: "end_turn" });
  expect(client.texts(two)).toBe("undisturbed");
  expect(await client.prompt(two, "hello")).toMatchObject({ stopReason: "end_turn" });
  expect(await sessionIn(hall, two).kill()).toEqual({ turns: [], agent: "killed" });
});

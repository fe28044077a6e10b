import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import type { AcpClient } from "../doubles/acp-client.ts";
import { hallWith, toAgents } from "../doubles/conversation.ts";
import { eventually } from "../doubles/eventually.ts";
import { gate } from "../doubles/gate.ts";
import type { Step } from "../doubles/scripted-agent/script.ts";
import type { JsonObject, Ways } from "../doubles/scripted-agent/ways.ts";
import type { TestHall } from "../doubles/start-hall.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

const hang: Step[] = [{ say: "hanging" }, { wait: "forever" }];

/** Two sessions of one client in a slot whose agent process they share. */
async function twoSessions(
  ways: Ways = {},
  options: { clock?: HandClock; roster?: JsonObject; slot?: JsonObject } = {},
) {
  const stateFile = join(temporaryFolder(), "agent-state");
  const { slot, ...others } = options;
  const hall = await hallWith(
    { stateFile, ...ways },
    {
      ...others,
      slot: { isolation: "slot", ...slot },
    },
  );
  const client = await hall.connect();
  const one = await client.begin();
  const { sessionId: two } = await client.newSession();
  return { hall, client, one, two };
}

const processes = (hall: TestHall): number => hall.service.hall.places.taken;
const memoryOf = async (client: AcpClient, sessionId: string): Promise<string> => {
  const since = client.received.length;
  await client.prompt(sessionId, [{ tell: "memory" }]);
  return client.texts(sessionId, since);
};

describe("sessions that share an agent process", () => {
  it("have one for all of them, each with its own updates, questions and turns, at the same time", async () => {
    const { hall, client, one, two } = await twoSessions();
    const { wait, reached, open } = gate();
    const first = client.prompt(one, [wait, { ask: { tool: { id: "t" } } }, { say: "first" }]);
    await reached();
    expect(await client.prompt(two, [{ say: "second" }])).toMatchObject({ stopReason: "end_turn" });
    open();
    const question = await client.question();
    expect(question.params.sessionId).toBe(one);
    question.select("allow");
    expect(await first).toMatchObject({ stopReason: "end_turn" });
    expect([client.texts(one), client.texts(two)]).toEqual(["asked: selected allowfirst", "second"]);
    expect([hall.agents().length, processes(hall)]).toEqual([1, 1]);
  });

  it("lose it together when it crashes: each turn that ran says so, and each session is restored", async () => {
    const { hall, client, one, two } = await twoSessions();
    await client.prompt(one, "first words");
    await client.prompt(two, "second words");
    const { wait, reached, open } = gate();
    const turns = [client.prompt(one, [wait, { kill: "SIGKILL" }]), client.prompt(two, hang)];
    await Promise.all([reached(), client.hears("hanging")]);
    open();
    for (const turn of turns)
      await expect(turn).rejects.toMatchObject({ data: { kind: "agent_exited", signal: "SIGKILL" } });
    expect(await memoryOf(client, one)).toMatch(/^memory: first words \|/);
    expect(await memoryOf(client, two)).toMatch(/^memory: second words \|/);
    expect([hall.agents().length, processes(hall)]).toEqual([2, 1]);
  });

  it("are closed one by one by the agent's own session/close; the process stays, and takes them back", async () => {
    const { hall, client, one, two } = await twoSessions();
    await client.prompt(one, "first words");
    await client.closeSession(one);
    expect(toAgents(hall).filter(({ method }) => method === "session/close")).toHaveLength(1);
    expect(await client.prompt(two, "still here")).toMatchObject({ stopReason: "end_turn" });
    expect(await memoryOf(client, one)).toMatch(/^memory: first words \|/);
    expect(hall.agents()).toHaveLength(1);
  });

  it("are never given one agent session id twice", async () => {
    const sameId = { foreignFields: { "session/new": { sessionId: "always this" } } };
    const hall = await hallWith(sameId, { slot: { isolation: "slot" } });
    const client = await hall.connect();
    await client.begin();
    await expect(client.newSession()).rejects.toMatchObject({ data: { kind: "agent_protocol" } });
  });

  it("do not take over another's agent session, though an earlier process gave theirs the same id", async () => {
    const { hall, client, one, two } = await twoSessions({ idPrefix: "s", capabilities: {} });
    await client.prompt(one, "first words");
    await client.prompt(two, "second words");
    process.kill(hall.agents()[0]?.pid ?? 0, "SIGKILL");
    await eventually(() => processes(hall)).toBe(0);
    // It cannot resume, so it gets the id that the first session had.
    expect(await memoryOf(client, two)).toContain("second words");
    expect(await memoryOf(client, one)).not.toContain("second words");
    expect(client.texts(two)).not.toContain("first words");
  });

  it("keep out of a form that is asked for in one session's request, whose client fills it in", async () => {
    const { hall, client: idle, two } = await twoSessions();
    const client = await hall.connect();
    await client.initialize({ clientCapabilities: { elicitation: { form: {} } } });
    const { sessionId } = await client.newSession();
    const form = { mode: "form", message: "Which?", requestedSchema: { type: "object", properties: {} } };
    const params = { ...form, requestId: "prompt" };
    const turn = client.prompt(sessionId, [{ call: { method: "elicitation/create", params } }]);
    const asked = await client.sees(({ method }) => method === "elicitation/create");
    client.send({ jsonrpc: "2.0", id: asked.message.id, result: { action: "decline" } });
    expect(await turn).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toContain("decline");
    expect(idle.updates(two)).toEqual([]);
  });
});

describe("a cancel in a process that sessions share", () => {
  it("ends the one turn and leaves the others alone", async () => {
    const { client, one, two } = await twoSessions();
    const { wait, reached, open } = gate();
    const other = client.prompt(two, [wait, { say: "undisturbed" }]);
    await reached();
    const turn = client.prompt(one, hang);
    await client.hears("hanging");
    client.cancel(one);
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    open();
    expect(await other).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(two)).toBe("undisturbed");
  });

  it("gives a turn up that does not end, without a signal while another runs; then the process goes, and all move on", async () => {
    const clock = new HandClock();
    const ways = { ignoreCancel: true, ignoreSigint: true, ignoreSigterm: true };
    const { hall, client, one, two } = await twoSessions(ways, { clock });
    await client.prompt(one, "first words");
    await client.prompt(two, "second words");
    const { wait, reached, open } = gate();
    const other = client.prompt(two, [wait, { say: "undisturbed" }]);
    await reached();
    const turn = client.prompt(one, hang);
    await client.hears("hanging");
    client.cancel(one);
    const heard = (): number => toAgents(hall).filter(({ method }) => method === "session/cancel").length;
    await eventually(heard).toBe(1);
    clock.advance(5_000);
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    // In a new process, though the old one goes on for the other session.
    expect(await memoryOf(client, one)).toMatch(/^memory: first words \|/);
    expect(hall.agents()).toHaveLength(2);
    const signals = (): string[] =>
      hall
        .agents()[0]
        ?.entries.map(({ text }) => text)
        .filter((text) => text.startsWith("SIG")) ?? [];
    clock.advance(60_000);
    expect(signals()).toEqual([]);
    open();
    expect(await other).toMatchObject({ stopReason: "end_turn" });
    await eventually(signals).toEqual(["SIGINT"]);
    clock.advance(5_000);
    await eventually(signals).toEqual(["SIGINT", "SIGTERM"]);
    clock.advance(5_000);
    await eventually(() => processes(hall)).toBe(1);
    expect(await memoryOf(client, two)).toMatch(/^memory: second words \|/);
    expect([hall.agents().length, processes(hall)]).toEqual([2, 1]);
  });

  it("lets the session's next turn wait until the given up one is over, when nothing else keeps the process", async () => {
    const { hall, client, one } = await twoSessions(
      { ignoreCancel: true },
      { roster: { cancel_grace: "50ms" } },
    );
    const turn = client.prompt(one, hang);
    await client.hears("hanging");
    client.cancel(one);
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    expect(await client.prompt(one, "next")).toMatchObject({ stopReason: "end_turn" });
    expect([hall.agents().length, processes(hall)]).toEqual([2, 1]);
  });
});

describe("a process that sessions share and that idles", () => {
  it("is told that a session is closed when that idles, and ends when nothing was said in it for as long", async () => {
    const clock = new HandClock();
    const { hall, client, one, two } = await twoSessions({}, { clock, slot: { idle_timeout: "10m" } });
    await client.prompt(one, "first words");
    clock.advance(6 * 60_000);
    await client.prompt(two, "second words");
    clock.advance(6 * 60_000);
    await eventually(() => toAgents(hall).filter(({ method }) => method === "session/close").length).toBe(1);
    expect(processes(hall)).toBe(1);
    expect(await memoryOf(client, one)).toMatch(/^memory: first words \|/);
    expect(hall.agents()).toHaveLength(1);
    clock.advance(10 * 60_000);
    await eventually(() => toAgents(hall).filter(({ method }) => method === "session/close").length).toBe(3);
    await client.saidMeanwhile();
    clock.advance(10 * 60_000);
    await eventually(() => processes(hall)).toBe(0);
    expect(await memoryOf(client, two)).toMatch(/^memory: second words \|/);
  });
});

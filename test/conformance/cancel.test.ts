import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import type { AcpClient } from "../doubles/acp-client.ts";
import { converse, hallWith, inOrder, promptsTo, toAgents } from "../doubles/conversation.ts";
import { eventually } from "../doubles/eventually.ts";
import { gate } from "../doubles/gate.ts";
import type { Step } from "../doubles/scripted-agent/script.ts";
import type { Ways } from "../doubles/scripted-agent/ways.ts";

const hang: Step[] = [{ say: "hanging" }, { wait: "forever" }];

/** A client in whose session a turn hangs, and the request that it answers. */
async function hanging(ways: Ways = {}, roster = {}) {
  const conversation = await converse(ways, { roster });
  const { client, sessionId } = conversation;
  const id = client.nextId;
  const turn = client.prompt(sessionId, hang);
  await client.hears("hanging");
  return { ...conversation, turn, id };
}

const nextTurnRuns = async (client: AcpClient, sessionId: string): Promise<void> => {
  const since = client.received.length;
  const next = await client.prompt(sessionId, [{ say: "next" }]);
  expect(next).toMatchObject({ stopReason: "end_turn" });
  expect(client.texts(sessionId, since)).toBe("next");
};

describe("session/cancel", () => {
  it("[C49, ACP-CANCEL-001] ends the running turn as cancelled, and the session goes on", async () => {
    const { hall, client, sessionId, turn } = await hanging();
    client.cancel(sessionId);
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    expect(toAgents(hall).filter(({ method }) => method === "session/cancel")).toHaveLength(1);
    await nextTurnRuns(client, sessionId);
  });

  it("[C49, ACP-CANCEL-002] lets every later update of the turn through, before its answer; none comes after", async () => {
    const { client, sessionId } = await converse();
    const id = client.nextId;
    const turn = client.prompt(sessionId, [
      { say: "before " },
      { wait: "cancel" },
      { burst: { count: 30 } },
      { toolUpdate: { id: "t", status: "failed" } },
      { say: "after" },
    ]);
    await client.hears("before ");
    client.cancel(sessionId);
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    expect(client.texts(sessionId)).toMatch(/^before burst 0.*burst 29after$/);
    await client.saidMeanwhile();
    expect(inOrder(client).slice(0, -1).at(-1)).toBe(`answer ${id}`);
  });

  // Elsewhere a cancel before the first prompt cancels that prompt, which its sender never meant.
  it.each([
    ["in a session where nothing runs", (client: AcpClient, sessionId: string) => client.cancel(sessionId)],
    ["of a session that nobody knows", (client: AcpClient) => client.cancel("no such session")],
    ["without params", (client: AcpClient) => client.notify("session/cancel")],
    ["with params that are none", (client: AcpClient) => client.notify("session/cancel", [1])],
    ["with an id that is a number", (client: AcpClient) => client.notify("session/cancel", { sessionId: 5 })],
  ])("[C50, NG-73] %s is met with silence, and is no later turn's fault", async (_name, cancel) => {
    const { client, sessionId } = await converse();
    cancel(client, sessionId);
    expect(await client.saidMeanwhile()).toEqual([]);
    await nextTurnRuns(client, sessionId);
  });

  // -32601 would do: as a request it is no method of ACP's. The hall says what is wrong with it.
  it("[C51, NG-70] as a request is answered once, with -32600, and cancels nothing", async () => {
    const { client, sessionId } = await converse();
    const { wait, reached, open } = gate();
    const turn = client.prompt(sessionId, [wait]);
    await reached();
    await expect(client.request("session/cancel", { sessionId })).rejects.toMatchObject({ code: -32600 });
    open();
    expect(await turn).toMatchObject({ stopReason: "end_turn" });
  });

  it("[C52, NG-72] that races with the turn's own end leaves it one answer, and the next turn alone", async () => {
    const { client, sessionId } = await converse();
    for (let n = 0; n < 20; n += 1) {
      const turn = client.prompt(sessionId, [{ burst: { count: n } }, { say: `end ${n}.` }]);
      if (n % 2 === 0) await client.hears(`end ${n}.`);
      client.cancel(sessionId);
      const { stopReason } = await turn;
      expect(["end_turn", "cancelled"]).toContain(stopReason);
    }
    await nextTurnRuns(client, sessionId);
  });

  it("[C53] answers the waiting turns cancelled too, and no agent ever hears of them", async () => {
    const { hall, client, sessionId, turn } = await hanging();
    const waiting = ["one", "two"].map((text) => client.prompt(sessionId, text));
    client.cancel(sessionId);
    for (const each of [turn, ...waiting]) expect(await each).toMatchObject({ stopReason: "cancelled" });
    await nextTurnRuns(client, sessionId);
    expect(promptsTo(hall)).toHaveLength(2);
  });

  it("[C53] with a turn's id ends that turn and those before it; later ones run", async () => {
    const { client, sessionId, turn } = await hanging();
    const waiting = client.prompt(sessionId, "waiting", { "hall/turn": "w" });
    const later = client.prompt(sessionId, "later");
    client.cancel(sessionId, { "hall/turn": "w" });
    for (const each of [turn, waiting]) expect(await each).toMatchObject({ stopReason: "cancelled" });
    expect(await later).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("hangingecho: later");
  });

  it.each([{ cancelAnswer: "error" }, { cancelAnswer: "end_turn" }] as const)(
    "[C55] makes the answer cancelled, whatever the agent answers (%j)",
    async (ways) => {
      const { client, sessionId, turn } = await hanging(ways);
      client.cancel(sessionId);
      expect(await turn).toMatchObject({ stopReason: "cancelled" });
      await nextTurnRuns(client, sessionId);
    },
  );

  it.each<[string, Ways]>([
    ["that never answers", { cancelAnswer: "never" }],
    ["that takes no notice", { ignoreCancel: true }],
    ["that takes no notice of SIGINT either", { ignoreCancel: true, ignoreSigint: true }],
    ["that takes no notice of anything", { ignoreCancel: true, ignoreSigint: true, ignoreSigterm: true }],
  ])(
    "[C56] of an agent %s is answered cancelled within its grace, and the next turn runs",
    async (_name, ways) => {
      const { client, sessionId, turn } = await hanging(ways, { cancel_grace: "50ms" });
      client.cancel(sessionId);
      expect(await turn).toMatchObject({ stopReason: "cancelled" });
      await nextTurnRuns(client, sessionId);
    },
  );

  it("[C56] climbs a step at a time, each after the grace: SIGINT, SIGTERM, SIGKILL", async () => {
    const clock = new HandClock();
    const ways = { ignoreCancel: true, ignoreSigint: true, ignoreSigterm: true };
    const { hall, client, sessionId } = await converse(ways, { clock });
    const turn = client.prompt(sessionId, hang);
    await client.hears("hanging");
    const heard = (): string[] =>
      hall
        .agents()
        .flatMap(({ entries }) => entries)
        .filter(
          ({ way, text }) => text.startsWith("SIG") || (way === "in" && text.includes("session/cancel")),
        )
        .map(({ text }) => (text.startsWith("SIG") ? text : "cancel"));
    client.cancel(sessionId);
    await eventually(heard).toEqual(["cancel"]);
    clock.advance(5_000);
    await eventually(heard).toEqual(["cancel", "SIGINT"]);
    clock.advance(5_000);
    await eventually(heard).toEqual(["cancel", "SIGINT", "SIGTERM"]);
    clock.advance(5_000);
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
  });

  it("[C56] never climbs where the grace is 0: the agent has all the time it takes", async () => {
    const { client, sessionId } = await converse({ ignoreCancel: true }, { roster: { cancel_grace: 0 } });
    const { wait, reached, open } = gate();
    const turn = client.prompt(sessionId, [wait, { say: "in its own time" }]);
    await reached();
    client.cancel(sessionId);
    expect(await client.saidMeanwhile()).toEqual([]);
    open();
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    expect(client.texts(sessionId)).toBe("in its own time");
  });

  it("[C53] of a turn that waits for another session's end answers it at once", async () => {
    const { client, sessionId } = await converse({}, { slot: { concurrency: 1 } });
    const { sessionId: other } = await client.newSession();
    const { wait, reached, open } = gate();
    const running = client.prompt(sessionId, [wait]);
    await reached();
    const waiting = client.prompt(other, "waiting");
    client.cancel(other);
    expect(await waiting).toMatchObject({ stopReason: "cancelled" });
    open();
    expect(await running).toMatchObject({ stopReason: "end_turn" });
  });
});

describe("$/cancel_request", () => {
  it("[C54] of a waiting prompt takes it away with -32800; no agent hears of it, the others run", async () => {
    const { hall, client, sessionId } = await converse();
    const { wait, reached, open } = gate();
    const running = client.prompt(sessionId, [wait]);
    await reached();
    const id = client.nextId;
    const [gone, kept] = [client.prompt(sessionId, "gone"), client.prompt(sessionId, "kept")];
    client.cancelRequest(id);
    await expect(gone).rejects.toMatchObject({ code: -32800 });
    open();
    expect(await running).toMatchObject({ stopReason: "end_turn" });
    expect(await kept).toMatchObject({ stopReason: "end_turn" });
    expect(promptsTo(hall).join()).not.toContain("gone");
  });

  it("[C54] of the running prompt ends that turn alone, and the queue goes on", async () => {
    const { client, sessionId, turn, id } = await hanging();
    const waiting = client.prompt(sessionId, "waiting");
    client.cancelRequest(id);
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    expect(await waiting).toMatchObject({ stopReason: "end_turn" });
  });

  it("[C54] of a session/new that takes too long ends it, with -32800", async () => {
    const hall = await hallWith({ neverNew: true });
    const client = await hall.connect();
    await client.initialize();
    const id = client.nextId;
    const created = client.newSession();
    client.cancelRequest(id);
    await expect(created).rejects.toMatchObject({ code: -32800 });
    expect((await client.list()).sessions).toEqual([]);
  });

  it("[C54] of a relayed request reaches the agent under the id that the agent knows", async () => {
    const { client, sessionId } = await converse();
    client.raw(
      `{"jsonrpc":"2.0","id":"mine","method":"_scripted/hang","params":{"sessionId":"${sessionId}"}}\n`,
    );
    client.cancelRequest("mine");
    expect(await client.answerTo("mine")).toHaveProperty("error.code", -32800);
  });

  it.each([999, "999", null, { id: 1 }, undefined])(
    "[C54] of %j, which is no open request, is met with silence",
    async (id) => {
      const { client, sessionId } = await converse();
      const { wait, reached, open } = gate();
      const turn = client.prompt(sessionId, [wait]);
      await reached();
      client.cancelRequest(id);
      expect(await client.saidMeanwhile()).toEqual([]);
      open();
      expect(await turn).toMatchObject({ stopReason: "end_turn" });
    },
  );

  it("[C54] of another client's id has no effect", async () => {
    const { hall, client, sessionId } = await converse();
    const other = await hall.connect();
    await other.initialize();
    const { wait, reached, open } = gate();
    const id = client.nextId;
    const turn = client.prompt(sessionId, [wait]);
    await reached();
    other.cancelRequest(id);
    expect(await other.saidMeanwhile()).toEqual([]);
    open();
    expect(await turn).toMatchObject({ stopReason: "end_turn" });
  });

  it("[C54] as a request is answered -32601", async () => {
    const { client } = await converse();
    await expect(client.request("$/cancel_request", { requestId: 1 })).rejects.toMatchObject({
      code: -32601,
    });
  });
});

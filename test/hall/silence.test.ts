import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { converse } from "../doubles/conversation.ts";
import { eventually } from "../doubles/eventually.ts";
import { gate } from "../doubles/gate.ts";
import type { Step } from "../doubles/scripted-agent/script.ts";
import type { Ways } from "../doubles/scripted-agent/ways.ts";

const MINUTE = 60_000;

/** A session whose slot gives its agent ten minutes of silence, by hand. */
async function quiet(ways: Ways = {}, roster = {}) {
  const clock = new HandClock();
  const slot = { turn_timeout: "10m", permission: { timeout: "never" } };
  return { clock, ...(await converse(ways, { clock, roster, slot })) };
}

const hang: Step[] = [{ say: "hanging" }, { wait: "forever" }];
const timedOut = { data: { kind: "turn_timeout", slot: "scripted" } };

describe("turn_timeout", () => {
  it("ends a turn whose agent says nothing: the agent is cancelled, and the next prompt runs in its session", async () => {
    const { clock, client, sessionId } = await quiet();
    const turn = client.prompt(sessionId, hang);
    await client.hears("hanging");
    clock.advance(10 * MINUTE - 1);
    expect(await client.saidMeanwhile()).toEqual([]);
    clock.advance(1);
    await expect(turn).rejects.toMatchObject(timedOut);
    await expect(turn).rejects.toThrow(/said nothing for 10m \(turn_timeout\) and was cancelled/);
    expect(await client.prompt(sessionId, [{ tell: "memory" }])).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toContain("hanging");
  });

  it("counts from the agent's last line, whatever that is", async () => {
    const { clock, client, sessionId } = await quiet();
    const first = gate();
    const turn = client.prompt(sessionId, [first.wait, { say: "still here" }, { wait: "forever" }]);
    await first.reached();
    clock.advance(9 * MINUTE);
    first.open();
    await client.hears("still here");
    clock.advance(9 * MINUTE);
    expect(await client.saidMeanwhile()).toEqual([]);
    clock.advance(MINUTE);
    await expect(turn).rejects.toMatchObject(timedOut);
  });

  it("does not count while a question is open, and begins anew with its answer", async () => {
    const { clock, client, sessionId } = await quiet();
    const turn = client.prompt(sessionId, [
      { ask: { tool: { id: "t", title: "May I?" } } },
      { wait: "forever" },
    ]);
    const question = await client.question();
    clock.advance(59 * MINUTE);
    question.select("allow");
    await client.hears("asked: selected allow");
    clock.advance(10 * MINUTE - 1);
    expect(await client.saidMeanwhile()).toEqual([]);
    clock.advance(1);
    await expect(turn).rejects.toMatchObject(timedOut);
  });

  it("does not count while a client has a form of the agent's to fill in", async () => {
    const { clock, hall, sessionId } = await quiet();
    const client = await hall.connect();
    await client.initialize({ clientCapabilities: { elicitation: { form: {} } } });
    await client.load(sessionId);
    const form = { mode: "form", message: "Which?", requestedSchema: { type: "object", properties: {} } };
    const turn = client.prompt(sessionId, [
      { call: { method: "elicitation/create", params: form } },
      { say: "end" },
    ]);
    const asked = await client.sees(({ method }) => method === "elicitation/create");
    clock.advance(59 * MINUTE);
    client.send({ jsonrpc: "2.0", id: asked.message.id, result: { action: "cancel" } });
    expect(await turn).toMatchObject({ stopReason: "end_turn" });
  });

  it("climbs the ladder with an agent that takes no notice, and answers with the timeout, behind all that it said", async () => {
    const ways = { ignoreCancel: true, ignoreSigint: true, ignoreSigterm: true };
    const { clock, client, sessionId, hall } = await quiet(ways);
    const turn = client.prompt(sessionId, hang);
    await client.hears("hanging");
    clock.advance(10 * MINUTE);
    const heard = (word: string) => () =>
      hall.agents().some(({ entries }) => entries.some(({ text }) => text.includes(word)));
    for (const step of ["session/cancel", "SIGINT", "SIGTERM"]) {
      await eventually(heard(step)).toBe(true);
      clock.advance(5_000);
    }
    await expect(turn).rejects.toMatchObject(timedOut);
  });

  it("answers at once where nothing escalates", async () => {
    const { clock, client, sessionId } = await quiet({ ignoreCancel: true }, { cancel_grace: 0 });
    const turn = client.prompt(sessionId, hang);
    await client.hears("hanging");
    clock.advance(10 * MINUTE);
    await expect(turn).rejects.toMatchObject(timedOut);
  });

  it("leaves no alarm behind a turn that ended in time", async () => {
    const { clock, client, sessionId } = await quiet();
    await client.prompt(sessionId, "one");
    const before = clock.pending;
    await client.prompt(sessionId, "two");
    expect(clock.pending).toBe(before);
  });
});

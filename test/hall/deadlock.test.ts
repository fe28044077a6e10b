import { describe, expect, it } from "vitest";
import { gate } from "../doubles/gate.ts";
import { startHall, type TestHall } from "../doubles/start-hall.ts";

/** A session whose turn is held, and a client that runs inside of the agent that has this turn. */
async function insideATurn(concurrency: number) {
  const hall = await startHall({
    slots: { scripted: { ways: {}, concurrency }, other: { ways: {} } },
  });
  const client = await hall.connect();
  const outer = await client.begin();
  const { wait, reached, open } = gate();
  const turn = client.prompt(outer, [wait]);
  await reached();
  const inside = await hall.connect();
  await inside.initialize({ _meta: { "hall/process": markOf(hall) } });
  return { client, outer, inside, turn, open };
}

/** The mark of the process that has the one turn that runs. */
function markOf(hall: TestHall): string {
  const mark = hall.service.hall.sessions.live.map(({ runsIn }) => runsIn).find(Boolean);
  if (mark === undefined) throw new Error("No turn runs.");
  return mark;
}

const refused = { data: { kind: "would_deadlock" } };

describe("a prompt from inside an agent", () => {
  it("that would wait for the turn that it comes from is refused", async () => {
    const { inside, outer, turn, open } = await insideATurn(4);
    await expect(inside.prompt(outer, "and you?")).rejects.toMatchObject(refused);
    open();
    expect(await turn).toMatchObject({ stopReason: "end_turn" });
    // Nothing runs now that it would wait for.
    expect(await inside.prompt(outer, "and now?")).toMatchObject({ stopReason: "end_turn" });
  });

  it("goes to another session of its slot when that has room for another turn", async () => {
    const { inside, turn, open } = await insideATurn(2);
    const { sessionId } = await inside.newSession();
    expect(await inside.prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
    open();
    await turn;
  });

  it("is refused in another session of its slot when every turn of that is its own, and goes to another slot", async () => {
    const { inside, turn, open } = await insideATurn(1);
    const { sessionId } = await inside.newSession();
    await expect(inside.prompt(sessionId, "hello")).rejects.toMatchObject(refused);
    const elsewhere = await inside.newSession({ _meta: { "hall/slot": "other" } });
    expect(await inside.prompt(elsewhere.sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
    open();
    await turn;
  });

  it("that comes from outside waits for its turn", async () => {
    const { client, outer, turn, open } = await insideATurn(1);
    const next = client.prompt(outer, "next");
    open();
    expect(await Promise.all([turn, next])).toMatchObject([
      { stopReason: "end_turn" },
      { stopReason: "end_turn" },
    ]);
  });
});

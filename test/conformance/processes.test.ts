import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { hallWith } from "../doubles/conversation.ts";
import { eventually } from "../doubles/eventually.ts";

/** After so long an idle process has to make room; every wait of an end is shorter. */
const SETTLED_MS = 61_000;

/** A hall with room for one process, whose first session has run a turn and idles; asking it starts no other. */
async function fullHall(ways: { ignoreEof?: boolean } = {}) {
  const clock = new HandClock();
  const hall = await hallWith(ways, { clock, roster: { limits: { processes: 1 } } });
  const client = await hall.connect();
  await client.initialize({ _meta: { "hall/control": true } });
  const { sessionId } = await client.newSession();
  await client.prompt(sessionId, "first");
  return { clock, hall, client, sessionId };
}

describe("limits.processes", () => {
  it("lets a turn wait until the process that idles has idled long enough, and then run", async () => {
    const { clock, hall, client, sessionId } = await fullHall();
    clock.advance(SETTLED_MS);
    const second = await client.newSession();
    const waiting = client.prompt(sessionId, "again");
    await client.saidMeanwhile();
    expect(hall.service.hall.places.taken).toBe(1);
    clock.advance(SETTLED_MS);
    expect(await waiting).toMatchObject({ stopReason: "end_turn" });
    expect(second.sessionId).not.toBe(sessionId);
  });

  it("sends no prompt to a process that is making room: it waits for the next one", async () => {
    const { clock, hall, client, sessionId } = await fullHall({ ignoreEof: true });
    clock.advance(SETTLED_MS);
    const opening = client.newSession();
    await eventually(() => hall.agents()[0]?.entries.some(({ text }) => text === "end of stdin")).toBe(true);
    const again = client.prompt(sessionId, "again");
    await client.saidMeanwhile();
    // SIGTERM, after stdin was closed in vain.
    clock.advance(3_000);
    await opening;
    clock.advance(SETTLED_MS);
    await eventually(() => hall.agents()).toHaveLength(2);
    clock.advance(3_000);
    expect(await again).toMatchObject({ stopReason: "end_turn" });
  });
});

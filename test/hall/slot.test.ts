import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import type { Slot } from "../../src/hall/slot.ts";
import type { Ways } from "../doubles/scripted-agent/ways.ts";
import { startHall } from "../doubles/start-hall.ts";

const eventually = (look: () => unknown) => expect.poll(look, { timeout: 15_000, interval: 5 });
const TWO_MINUTES = 120_000;

async function slotWith(ways: Ways, roster = {}) {
  const clock = new HandClock();
  const hall = await startHall({ slots: { scripted: { ways } }, roster, clock });
  const slot: Slot = hall.service.hall.slots.choose(undefined);
  return { clock, hall, slot, running: () => slot.agents.size };
}

describe("an agent for a login", () => {
  it("is one, however many log in at once, and the next session's", async () => {
    const { slot, running } = await slotWith({});
    const [one, two] = await Promise.all([slot.forLogin(), slot.forLogin()]);
    expect(one).toBe(two);
    expect(await slot.forLogin()).toBe(one);
    expect(await slot.take(slot.config.cwd, false)).toBe(one);
    expect(running()).toBe(1);
  });

  it("is kept for two minutes, and for as long as the login takes", async () => {
    const { clock, slot, running } = await slotWith({ neverNew: true });
    const agent = await slot.forLogin();
    // A login that waits for a person in a browser: here, any request that is not answered.
    agent.request("session/new", { cwd: "/", mcpServers: [] }, () => {});
    for (let minutes = 0; minutes < 10; minutes += 2) clock.advance(TWO_MINUTES);
    expect([await slot.forLogin(), agent.gone]).toEqual([agent, false]);
    await agent.process.stop();
    const next = await slot.forLogin();
    clock.advance(TWO_MINUTES - 1);
    expect(running()).toBe(1);
    clock.advance(1);
    await eventually(running).toBe(0);
    expect(next.gone).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it("is not given up for another that wants a login too", async () => {
    const { slot, running } = await slotWith({ neverNew: true });
    const agent = await slot.forLogin();
    agent.request("session/new", { cwd: "/", mcpServers: [] }, () => {});
    const other = await slot.take("/", false);
    slot.keep(other);
    await eventually(running).toBe(1);
    expect([await slot.forLogin(), other.gone]).toEqual([agent, true]);
  });
});

describe("an agent that was started to learn what it can do", () => {
  it("makes room at once for a session that cannot use it", async () => {
    const { hall } = await slotWith({}, { limits: { processes: 1 } });
    const client = await hall.connect();
    await client.initialize();
    expect(hall.service.hall.places.taken).toBe(1);
    const { sessionId } = await client.newSession();
    expect(await client.prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
  });

  it("that does not start in time keeps no client waiting", async () => {
    const { clock, hall, slot } = await slotWith({ neverInitialize: true });
    const client = await hall.connect();
    const initialized = client.initialize();
    await eventually(() => slot.agents.size).toBe(1);
    clock.advance(10_000);
    expect(await initialized).toMatchObject({ agentCapabilities: { loadSession: true } });
  });
});

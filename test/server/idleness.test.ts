import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { Events } from "../../src/hall/events.ts";
import { stopWhenIdle } from "../../src/server/idleness.ts";

const HOUR = 3_600_000;

function watched() {
  const clock = new HandClock();
  const events = new Events();
  const hall = {
    clock,
    events,
    clients: { size: 0 },
    places: { taken: 0 },
    sessions: { live: [{ turns: { open: [] as unknown[] } }] },
  };
  const roster = { keep: false };
  let stops = 0;
  stopWhenIdle(hall, { after: 8 * HOUR, keep: () => roster.keep, stop: () => stops++ });
  return { clock, events, hall, roster, stops: () => stops };
}

describe("a hall that ends when it is idle", () => {
  it("ends when nobody came for so long, and once", () => {
    const { clock, stops } = watched();
    clock.advance(8 * HOUR - 1);
    expect(stops()).toBe(0);
    clock.advance(1);
    expect(stops()).toBe(1);
    clock.advance(100 * HOUR);
    expect(stops()).toBe(1);
    expect(clock.pending).toBe(0);
  });

  it("counts from the last thing that happened", () => {
    const { clock, events, stops } = watched();
    clock.advance(7 * HOUR);
    events.emit("client.closed", { client: "client-1" });
    clock.advance(8 * HOUR - 1);
    expect(stops()).toBe(0);
    clock.advance(1);
    expect(stops()).toBe(1);
  });

  it("stays while its roster says keep, and goes 8 hours after that is taken back", () => {
    const { clock, events, roster, stops } = watched();
    roster.keep = true;
    clock.advance(100 * HOUR);
    roster.keep = false;
    events.emit("roster.reloaded", { by: "command", applied: ["keep"], restart: [] });
    clock.advance(8 * HOUR - 1);
    expect(stops()).toBe(0);
    clock.advance(1);
    expect(stops()).toBe(1);
  });

  it.each([
    ["a client is there", (hall: ReturnType<typeof watched>["hall"]) => (hall.clients.size = 1)],
    ["an agent process runs", (hall: ReturnType<typeof watched>["hall"]) => (hall.places.taken = 1)],
    [
      "a turn waits or runs",
      (hall: ReturnType<typeof watched>["hall"]) => hall.sessions.live[0]?.turns.open.push({}),
    ],
  ])("stays while %s, however quiet it is", (_, occupy) => {
    const { clock, events, hall, stops } = watched();
    occupy(hall);
    clock.advance(100 * HOUR);
    expect(stops()).toBe(0);
    hall.clients.size = 0;
    hall.places.taken = 0;
    hall.sessions.live = [];
    events.emit("client.closed", { client: "client-1" });
    clock.advance(8 * HOUR);
    expect(stops()).toBe(1);
  });
});

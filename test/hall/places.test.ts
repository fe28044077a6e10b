import { assert, asyncProperty, boolean, constantFrom, integer, array as sequence, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import { shuttingDown } from "../../src/acp/errors.ts";
import { HandClock } from "../../src/ground/clock.ts";
import { type Place, Places } from "../../src/hall/places.ts";

const MINUTE = 60_000;

/** A process in its place: it idles since a time, or does not. */
class Occupant {
  since: number | undefined;
  told = 0;
  readonly place: Place;

  constructor(place: Place, since?: number) {
    this.place = place;
    this.since = since;
    place.occupy({
      idleSince: () => this.since,
      makeRoom: () => {
        this.told += 1;
      },
    });
  }
}

async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
}

/** Whether a promise of a place was kept yet. */
function watch(taken: Promise<Place>): { place: Place | undefined; error: unknown } {
  const seen: { place: Place | undefined; error: unknown } = { place: undefined, error: undefined };
  taken.then(
    (place) => {
      seen.place = place;
    },
    (error: unknown) => {
      seen.error = error;
    },
  );
  return seen;
}

async function fullHall(limit: number, idle = false) {
  const clock = new HandClock();
  const places = new Places(() => limit, clock);
  const occupants: Occupant[] = [];
  for (let count = 0; count < limit; count += 1) {
    const place = await places.take(false);
    occupants.push(new Occupant(place, idle ? clock.monotonic() : undefined));
  }
  return { clock, places, occupants };
}

describe("a place", () => {
  it("is there for as many processes as there may be, and again when one is gone", async () => {
    const { places, occupants } = await fullHall(2);
    expect(places.taken).toBe(2);
    await expect(places.take(false)).rejects.toMatchObject({
      kind: "too_many_processes",
      data: { limit: 2 },
    });
    occupants[0]?.place.leave();
    occupants[0]?.place.leave();
    expect(places.taken).toBe(1);
    await places.take(false);
    await expect(places.take(false)).rejects.toMatchObject({ kind: "too_many_processes" });
  });

  it("is waited for by the patient, first come first served, whoever leaves", async () => {
    const { places, occupants } = await fullHall(1);
    const [first, second] = [watch(places.take(true)), watch(places.take(true))];
    await settled();
    expect(first.place).toBeUndefined();
    occupants[0]?.place.leave();
    await settled();
    expect([first.place !== undefined, second.place]).toEqual([true, undefined]);
    first.place?.leave();
    await settled();
    expect(second.place).toBeDefined();
  });

  it("is waited for no more when the wait is given up, and then costs nobody his turn", async () => {
    const { clock, places, occupants } = await fullHall(1);
    const giveUp = new AbortController();
    const [first, second] = [watch(places.take(true, giveUp.signal)), watch(places.take(true))];
    giveUp.abort(new Error("never mind"));
    await settled();
    expect(first.error).toMatchObject({ message: "never mind" });
    occupants[0]?.place.leave();
    await settled();
    expect(second.place).toBeDefined();
    await expect(places.take(true, giveUp.signal)).rejects.toThrow("never mind");
    clock.advance(1_000);
    expect(clock.pending).toBe(0);
  });

  it("is refused to all who wait when the hall stops", async () => {
    const { clock, places } = await fullHall(1);
    const waiting = [watch(places.take(true)), watch(places.take(true))];
    places.refuseAll(shuttingDown());
    await settled();
    for (const { error } of waiting) expect(error).toMatchObject({ kind: "shutting_down" });
    expect(clock.pending).toBe(0);
  });
});

describe("a process that idles", () => {
  it("makes room, but not before a minute; the one that idles longest does", async () => {
    const { clock, places, occupants } = await fullHall(3, true);
    const [busy, longest, shorter] = occupants;
    if (busy) busy.since = undefined;
    if (shorter) shorter.since = clock.monotonic() + 1;
    clock.advance(MINUTE - 1);
    await expect(places.take(false)).rejects.toMatchObject({ kind: "too_many_processes" });
    clock.advance(1);
    const taken = watch(places.take(false));
    await settled();
    expect(occupants.map(({ told }) => told)).toEqual([0, 1, 0]);
    expect(taken.place).toBeUndefined();
    longest?.place.leave();
    await settled();
    expect(taken.place).toBeDefined();
  });

  it("makes room at once where nobody would miss it", async () => {
    const { places, occupants } = await fullHall(2, true);
    const [spare] = occupants;
    if (spare) spare.since = -Infinity;
    void watch(places.take(false));
    await settled();
    expect(occupants.map(({ told }) => told)).toEqual([1, 0]);
  });

  it("is told to go once, also when several want its place; who is not patient is then refused", async () => {
    const { clock, places, occupants } = await fullHall(1, true);
    clock.advance(MINUTE);
    const patient = watch(places.take(true));
    await settled();
    await expect(places.take(false)).rejects.toMatchObject({ kind: "too_many_processes" });
    expect(occupants[0]?.told).toBe(1);
    occupants[0]?.place.leave();
    await settled();
    expect(patient.place).toBeDefined();
  });

  it("makes room for whoever waits already, as soon as it has idled for a minute", async () => {
    const { clock, places, occupants } = await fullHall(1);
    const [busy] = occupants;
    const waiting = watch(places.take(true));
    clock.advance(10 * MINUTE);
    expect(busy?.told).toBe(0);
    if (busy) busy.since = clock.monotonic();
    clock.advance(MINUTE - 1);
    expect(busy?.told).toBe(0);
    clock.advance(1_001);
    expect(busy?.told).toBe(1);
    busy?.place.leave();
    await settled();
    expect(waiting.place).toBeDefined();
    clock.advance(10 * MINUTE);
    expect([busy?.told, clock.pending]).toEqual([1, 0]);
  });

  it("may be one that has not begun yet: then it is not there to make room", async () => {
    const places = new Places(() => 1, new HandClock());
    await places.take(false);
    await expect(places.take(false)).rejects.toMatchObject({ kind: "too_many_processes" });
  });
});

describe("whoever comes and goes", () => {
  it("there are never more processes than there may be, and nobody waits while there is room", async () => {
    const step = tuple(
      constantFrom("take", "take", "leave", "idle", "time", "give up"),
      integer({ min: 0, max: 5 }),
      boolean(),
    );
    await assert(
      asyncProperty(integer({ min: 1, max: 3 }), sequence(step, { maxLength: 40 }), async (limit, steps) => {
        const clock = new HandClock();
        const places = new Places(() => limit, clock);
        const inside: Occupant[] = [];
        const asked: { seen: ReturnType<typeof watch>; giveUp: AbortController; counted: boolean }[] = [];
        const enter = (): void => {
          for (const one of asked) {
            if (one.counted || !one.seen.place) continue;
            one.counted = true;
            inside.push(new Occupant(one.seen.place));
          }
        };
        for (const [what, number, patient] of steps) {
          const occupant = inside[number];
          if (what === "take") {
            const giveUp = new AbortController();
            asked.push({ seen: watch(places.take(patient, giveUp.signal)), giveUp, counted: false });
          } else if (what === "time") clock.advance(MINUTE / 2);
          else if (what === "give up") asked[number]?.giveUp.abort(new Error("given up"));
          else if (occupant && what === "idle") occupant.since = clock.monotonic();
          else if (occupant) {
            occupant.place.leave();
            inside.splice(number, 1);
          }
          await settled();
          enter();
          const waiting = asked.filter(({ seen }) => !seen.place && seen.error === undefined);
          expect(inside.length).toBeLessThanOrEqual(limit);
          expect(places.taken).toBe(inside.length);
          expect(waiting.length > 0 && inside.length < limit).toBe(false);
          for (const { told } of inside) expect(told).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});

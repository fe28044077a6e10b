import { assert, asyncProperty, constantFrom, integer, array as sequence, tuple } from "fast-check";
import PQueue from "p-queue";
import { describe, expect, it } from "vitest";
import { SessionQueue } from "../../src/hall/queue.ts";

/** Something that runs until it is told to end. */
class Job {
  readonly name: string;
  readonly takesUnit: boolean;
  readonly #log: string[];
  #end: () => void = () => {};
  running = false;

  constructor(name: string, log: string[], takesUnit = true) {
    this.name = name;
    this.takesUnit = takesUnit;
    this.#log = log;
  }

  run(): Promise<void> {
    this.running = true;
    this.#log.push(this.name);
    return new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  async end(): Promise<void> {
    this.running = false;
    this.#end();
    await settled();
  }
}

async function settled(): Promise<void> {
  for (let turns = 0; turns < 30; turns += 1) await Promise.resolve();
}

function slot(concurrency: number, limit = 16) {
  const units = new PQueue({ concurrency });
  const log: string[] = [];
  const session = () =>
    new SessionQueue(
      () => units,
      () => limit,
    );
  const job = (name: string, takesUnit = true) => new Job(name, log, takesUnit);
  return { units, log, session, job };
}

describe("a session's queue", () => {
  it("runs one thing at a time, in order", async () => {
    const { log, session, job } = slot(4);
    const queue = session();
    const jobs = [job("a"), job("b"), job("c")] as const;
    for (const one of jobs) queue.add(one);
    await settled();
    expect([log, queue.waiting]).toEqual([["a"], 2]);
    await jobs[0].end();
    expect(log).toEqual(["a", "b"]);
    await jobs[1].end();
    await jobs[2].end();
    expect([log, queue.idle, queue.waiting]).toEqual([["a", "b", "c"], true, 0]);
  });

  it("goes between sessions by when something became its session's first", async () => {
    const { log, session, job } = slot(1);
    const [one, two, three] = [session(), session(), session()];
    const running = job("running");
    one.add(running);
    await settled();
    const [second, third, behind] = [job("second"), job("third"), job("behind the running")];
    one.add(behind);
    two.add(second);
    three.add(third);
    two.add(job("second again"));
    await running.end();
    expect(log).toEqual(["running", "second"]);
    await second.end();
    expect(log).toEqual(["running", "second", "third"]);
    await third.end();
    expect(log.at(-1)).toBe("behind the running");
    await behind.end();
    expect(log.at(-1)).toBe("second again");
  });

  it("holds a unit of the slot while a turn runs, and none for what is no turn", async () => {
    const { units, log, session, job } = slot(1);
    const [one, two, three] = [session(), session(), session()];
    const [turn, change, other] = [job("turn"), job("change", false), job("other")];
    one.add(turn);
    two.add(change);
    three.add(other);
    await settled();
    expect([log, units.pending]).toEqual([["turn", "change"], 1]);
    await change.end();
    expect(log).toEqual(["turn", "change"]);
    await turn.end();
    expect(log).toEqual(["turn", "change", "other"]);
  });

  it("goes on when something that it ran breaks", async () => {
    const { log, session, job } = slot(1);
    const queue = session();
    queue.add({ takesUnit: true, run: () => Promise.reject(new Error("a defect")) });
    queue.add(job("next"));
    await settled();
    expect(log).toEqual(["next"]);
  });

  it("asks anew for the units: a session may have changed its slot", async () => {
    const [before, after] = [slot(1), slot(1)];
    let units = before.units;
    const queue = new SessionQueue(
      () => units,
      () => 16,
    );
    const change = before.job("change", false);
    queue.add(change);
    queue.add(before.job("turn"));
    await settled();
    units = after.units;
    await change.end();
    expect([before.units.pending, after.units.pending]).toEqual([0, 1]);
  });
});

describe("what waits in a queue", () => {
  it("can be dropped while it waits behind another", async () => {
    const { log, session, job } = slot(1);
    const queue = session();
    const [running, dropped, next] = [job("running"), job("dropped"), job("next")];
    for (const one of [running, dropped, next]) queue.add(one);
    await settled();
    expect(queue.drop(dropped)).toBe(true);
    expect(queue.drop(dropped)).toBe(false);
    await running.end();
    expect(log).toEqual(["running", "next"]);
  });

  it.each([true, false])(
    "can be dropped while it waits for its unit, or just for its turn (%j)",
    async (takesUnit) => {
      const { units, log, session, job } = slot(1);
      const [other, queue] = [session(), session()];
      const [running, dropped, next] = [job("running"), job("dropped", takesUnit), job("next")];
      other.add(running);
      await settled();
      queue.add(dropped);
      queue.add(next);
      expect(queue.drop(dropped)).toBe(true);
      await settled();
      await running.end();
      expect(log).toEqual(["running", "next"]);
      await next.end();
      expect([queue.idle, units.pending, units.size]).toEqual([true, 0, 0]);
    },
  );

  it("cannot be dropped once it runs, or when it never waited", async () => {
    const { session, job } = slot(1);
    const queue = session();
    const running = job("running");
    queue.add(running);
    await settled();
    expect(queue.drop(running)).toBe(false);
    expect(queue.drop(job("stranger"))).toBe(false);
    expect(queue.idle).toBe(false);
    await running.end();
    expect(queue.drop(running)).toBe(false);
  });

  it("is bounded, what runs apart; what waits for its unit counts", async () => {
    const { session, job } = slot(1, 2);
    const [other, queue] = [session(), session()];
    const elsewhere = job("elsewhere");
    other.add(elsewhere);
    await settled();
    const first = job("first");
    for (const one of [first, job("second")]) {
      queue.check();
      queue.add(one);
    }
    const full = expect.objectContaining({ kind: "queue_full", data: { kind: "queue_full", limit: 2 } });
    expect(() => queue.check()).toThrow(full);
    await elsewhere.end();
    queue.check();
    queue.add(job("third"));
    expect(() => queue.check()).toThrow(full);
    queue.drop(first);
    expect(() => queue.check()).toThrow(full);
  });
});

describe("whatever is added, dropped and ended", () => {
  it("each thing runs once or was dropped, in order, never two of a session or more than there are units", async () => {
    const step = tuple(
      constantFrom("add", "add", "drop", "end"),
      integer({ min: 0, max: 2 }),
      integer({ min: 0, max: 5 }),
    );
    await assert(
      asyncProperty(
        integer({ min: 1, max: 3 }),
        sequence(step, { maxLength: 40 }),
        async (concurrency, steps) => {
          const { log, session, job } = slot(concurrency);
          const sessions = [0, 1, 2].map(() => ({ queue: session(), jobs: [] as Job[] }));
          const dropped = new Set<string>();
          const running = () => sessions.flatMap(({ jobs }) => jobs.filter((one) => one.running));
          for (const [what, which, number] of steps) {
            const one = sessions[which];
            if (!one) continue;
            const known = one.jobs[number];
            if (what === "add") {
              const added = job(`${which}.${one.jobs.length}`, number > 0);
              one.jobs.push(added);
              one.queue.add(added);
            } else if (what === "drop" && known) {
              if (one.queue.drop(known)) dropped.add(known.name);
            } else await running()[number % Math.max(running().length, 1)]?.end();
            await settled();
            for (const { jobs } of sessions)
              expect(jobs.filter((each) => each.running).length).toBeLessThanOrEqual(1);
            expect(running().filter(({ takesUnit }) => takesUnit).length).toBeLessThanOrEqual(concurrency);
          }
          for (let next = running()[0]; next; next = running()[0]) await next.end();
          for (const [which, { queue, jobs }] of sessions.entries()) {
            const wanted = jobs.map(({ name }) => name).filter((name) => !dropped.has(name));
            expect(log.filter((name) => name.startsWith(`${which}.`))).toEqual(wanted);
            expect(queue.idle).toBe(true);
          }
        },
      ),
    );
  });
});

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { identify, thisProcess } from "../../src/ground/process-identity.ts";
import { Lock, Locked } from "../../src/hall/lock.ts";
import type { Holder } from "../../src/hall/lock-holder.ts";
import { compile } from "./compiled.ts";
import { Contender } from "./contenders.ts";

let keys = 0;
const holder = (changes: Partial<Holder> = {}): Holder => ({
  ...thisProcess(),
  key: (++keys).toString(16).padStart(4, "0"),
  version: "1.2.3",
  since: "2026-01-01T00:00:00.000Z",
  socket: "/nowhere/hall.sock",
  ...changes,
});

/** A pid that no process has any more. */
function deadPid(): number {
  const { pid } = spawnSync("true");
  if (identify(pid)) throw new Error(`pid ${pid} was taken again`);
  return pid;
}

const dead = (): Holder => holder({ pid: deadPid() });
const write = (file: string, content: Holder): void => fs.writeFileSync(file, JSON.stringify(content));

describe("the lock of a state directory", () => {
  let folder: string;
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "hall-lock-"));
  });
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  /** Alive is who is named here; whoever is asked about waits a little first, so that others come in between. */
  const alive = (living: readonly Holder[], turns = 0) => {
    const isAlive = async (other: Holder): Promise<boolean> => {
      for (let turn = 0; turn < turns; turn++) await null;
      return living.some(({ key }) => key === other.key);
    };
    return isAlive;
  };

  it("is one file that names its holder, and nothing else", async () => {
    const first = holder();
    await Lock.take(folder, first, alive([]));
    expect(fs.readdirSync(folder)).toEqual(["lock"]);
    expect(JSON.parse(fs.readFileSync(path.join(folder, "lock"), "utf8"))).toEqual(first);
    expect(fs.statSync(path.join(folder, "lock")).mode & 0o777).toBe(0o600);
  });

  it("is refused while its holder lives, naming it", async () => {
    const first = holder({ pid: 4711 });
    await Lock.take(folder, first, alive([]));
    const second = Lock.take(folder, holder(), alive([first]));
    await expect(second).rejects.toThrow(Locked);
    await expect(second).rejects.toThrow("pid 4711, version 1.2.3, since 2026-01-01T00:00:00.000Z");
    expect(fs.readdirSync(folder)).toEqual(["lock"]);
  });

  it("is free again after its release", async () => {
    const lock = await Lock.take(folder, holder(), alive([]));
    lock.release();
    expect(fs.readdirSync(folder)).toEqual([]);
    await Lock.take(folder, holder(), alive([]));
  });

  it("of another holder is not removed by a late release", async () => {
    const lock = await Lock.take(folder, holder(), alive([]));
    const next = holder();
    write(path.join(folder, "lock"), next);
    lock.release();
    expect(JSON.parse(fs.readFileSync(path.join(folder, "lock"), "utf8"))).toEqual(next);
  });

  it("is taken over from the dead, with all that they left", async () => {
    const [gone, heir, second] = [holder(), holder(), holder()];
    write(path.join(folder, "lock"), gone);
    write(path.join(folder, `lock.after.${gone.key}`), heir);
    write(path.join(folder, `lock.after.${heir.key}`), second);
    write(path.join(folder, `lock.by.${second.key}`), second);
    const us = holder();
    await Lock.take(folder, us, alive([]));
    expect(fs.readdirSync(folder)).toEqual(["lock"]);
    expect(JSON.parse(fs.readFileSync(path.join(folder, "lock"), "utf8"))).toEqual(us);
  });

  it("is refused while a living one takes it over", async () => {
    const [gone, heir] = [holder(), holder()];
    write(path.join(folder, "lock"), gone);
    write(path.join(folder, `lock.after.${gone.key}`), heir);
    await expect(Lock.take(folder, holder(), alive([heir]))).rejects.toThrow(Locked);
  });

  it("is taken over when a crash of the machine left it, and claims on it, empty", async () => {
    fs.writeFileSync(path.join(folder, "lock"), "");
    const { ino } = fs.statSync(path.join(folder, "lock"));
    fs.writeFileSync(path.join(folder, `lock.after.unreadable.${ino}`), "{");
    await Lock.take(folder, holder(), alive([]));
    expect(fs.readdirSync(folder)).toEqual(["lock"]);
  });

  it("goes to exactly one of many starters, in whatever order their steps fall", async () => {
    const waits = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 2, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(waits, fc.integer({ min: 0, max: 3 }), async (turns, chain) => {
        const place = fs.mkdtempSync(path.join(folder, "place-"));
        let last = holder();
        if (chain > 0) write(path.join(place, "lock"), last);
        for (let link = 1; link < chain; link++) {
          const heir = holder();
          write(path.join(place, `lock.after.${last.key}`), heir);
          last = heir;
        }
        const starters = turns.map(() => holder());
        const attempts = await Promise.allSettled(
          starters.map(async (starter, index) => {
            for (let turn = 0; turn < (turns[index] ?? 0); turn++) await null;
            return Lock.take(place, starter, alive(starters, turns.at(-1 - index)));
          }),
        );
        const lost = attempts.flatMap((attempt) => (attempt.status === "rejected" ? [attempt.reason] : []));
        expect(lost.filter((reason) => !(reason instanceof Locked))).toEqual([]);
        expect(lost).toHaveLength(starters.length - 1);
        expect(fs.readdirSync(place)).toEqual(["lock"]);
      }),
      { numRuns: 200 },
    );
  });

  describe("between real processes", () => {
    let compiled: { file: string; folder: string };
    let contenders: Contender[] = [];
    beforeAll(() => {
      compiled = compile("hall/state");
    });
    afterEach(async () => {
      await Promise.all(contenders.map((contender) => contender.kill()));
      contenders = [];
    });
    afterAll(() => fs.rmSync(compiled.folder, { recursive: true }));

    const start = async (count: number): Promise<Contender[]> => {
      contenders = await Promise.all(Array.from({ length: count }, () => Contender.start(compiled.file)));
      return contenders;
    };

    it("goes to exactly one of six that start at once, free, stale, or left in the middle of a takeover", async () => {
      const all = await start(6);
      for (let round = 0; round < 60; round++) {
        const place = path.join(folder, `round-${round}`);
        fs.mkdirSync(place);
        const [gone, heir] = [dead(), dead()];
        if (round % 3 > 0) write(path.join(place, "lock"), gone);
        if (round % 3 > 1) write(path.join(place, `lock.after.${gone.key}`), heir);
        const outcomes = await Promise.all(all.map((contender) => contender.take(place)));
        const winners = all.filter((_, index) => outcomes[index]?.won);
        expect(winners).toHaveLength(1);
        expect(outcomes.filter(({ won, name }) => !won && name !== "Locked")).toEqual([]);
        await winners[0]?.release("clean");
      }
    });

    it("is refused with the holder's pid, and free as soon as the holder was killed", async () => {
      const [first, second] = await start(2);
      if (!first || !second) throw new Error("no contenders");
      await first.take(folder);
      const refused = await second.take(folder);
      expect(refused).toMatchObject({ won: false, name: "Locked", holder: first.pid });
      expect(refused.message).toContain(`pid ${first.pid}, version 9.9.9`);
      await first.kill();
      expect(await second.take(folder)).toMatchObject({ won: true, wasClean: false });
    });
  });
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Ledger } from "../../src/agents/ledger.ts";
import { endOrphans, type OrphansEnded } from "../../src/agents/orphans.ts";
import { HandClock } from "../../src/ground/clock.ts";
import { realDisk } from "../../src/ground/disk.ts";
import { FakeProc } from "./fake-proc.ts";

const SELF = 900;

describe("the orphans of a hall that was killed", () => {
  let folder: string;
  let proc: FakeProc;
  let sent: string[];
  /** Processes that outlive SIGTERM, and those that outlive everything. */
  let stubborn: number[];
  let immortal: number[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "hall-orphans-"));
    proc = new FakeProc();
    proc.add({ pid: 1, parent: 0 });
    sent = [];
    stubborn = [];
    immortal = [];
  });
  afterEach(() => {
    proc.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = (): Ledger => new Ledger(realDisk, folder, "s");

  /** An earlier hall, which had these processes when it was killed. */
  function earlier(...processes: ({ pid: number; startTime: string } | undefined)[]): void {
    const ledger = open();
    for (const process of processes) {
      const number = ledger.begin("a");
      if (process) ledger.spawned(number, process);
    }
    ledger.close();
  }

  /** The signals go to a list, and end what is not too stubborn for them. */
  function send(target: number, signal: string): void {
    sent.push(`${signal} ${target}`);
    const pids =
      target > 0
        ? [target]
        : proc
            .table()
            .list()
            .filter((row) => row.group === -target)
            .map((row) => row.pid);
    if (pids.length === 0) throw Object.assign(new Error("ESRCH"), { code: "ESRCH" });
    for (const pid of pids) {
      if (!immortal.includes(pid) && (signal === "SIGKILL" || !stubborn.includes(pid))) proc.end(pid);
    }
  }

  /** A new hall's start, on a clock that goes as fast as it is asked. */
  async function start(): Promise<OrphansEnded & { open: number }> {
    const clock = new HandClock();
    const ledger = open();
    let result: OrphansEnded | undefined;
    void endOrphans(ledger, { clock, table: proc.table(), send, self: SELF }).then((ended) => {
      result = ended;
    });
    while (result === undefined) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(50);
    }
    ledger.close();
    const after = open();
    after.close();
    return { ...result, open: after.orphans.length };
  }

  it("are none after a clean end, and nothing is signalled", async () => {
    proc.add({ pid: 100, environment: ["HALL_PROCESS=s.1"] });
    expect(await start()).toEqual({ pids: [], left: [], open: 0 });
    expect(sent).toEqual([]);
  });

  it("are ended: the process with its group, what descends from it, what carries its mark", async () => {
    earlier({ pid: 100, startTime: "5@boot-1" });
    proc.add({ pid: 100, start: 5 });
    proc.add({ pid: 101, parent: 100, group: 100 });
    proc.add({ pid: 102, parent: 101, group: 102 });
    proc.add({ pid: 103, group: 103, environment: ["HALL_PROCESS=s.1"] });
    proc.add({ pid: 104, parent: 103, group: 104 });
    proc.add({ pid: 105, group: 105, environment: ["HALL_PROCESS=s.11"] });
    const { pids, ...rest } = await start();
    expect(new Set(pids)).toEqual(new Set([100, 101, 102, 103, 104]));
    expect(rest).toEqual({ left: [], open: 0 });
    expect(new Set(sent)).toEqual(new Set(["SIGTERM -100", "SIGTERM 102", "SIGTERM 103", "SIGTERM 104"]));
    expect(
      proc
        .table()
        .list()
        .map((row) => row.pid),
    ).toEqual([1, 105]);
  });

  it("are not another process under the number, its group, or what descends from it", async () => {
    earlier({ pid: 100, startTime: "5@boot-1" });
    proc.add({ pid: 100, start: 6 });
    proc.add({ pid: 101, parent: 100, group: 100 });
    expect(await start()).toEqual({ pids: [], left: [], open: 0 });
    expect(sent).toEqual([]);
  });

  it("are not the same number and start of another boot", async () => {
    earlier({ pid: 100, startTime: "5@boot-0" });
    proc.add({ pid: 100, start: 5 });
    expect((await start()).pids).toEqual([]);
    expect(sent).toEqual([]);
  });

  it("are found by the mark when the hall was killed before it wrote the process down", async () => {
    earlier(undefined);
    proc.add({ pid: 100, start: 5, environment: ["HALL_PROCESS=s.1"] });
    expect(await start()).toEqual({ pids: [100], left: [], open: 0 });
    expect(sent).toEqual(["SIGTERM 100"]);
  });

  it("are what an ended process left behind under its mark", async () => {
    earlier({ pid: 100, startTime: "5@boot-1" });
    proc.add({ pid: 101, environment: ["HALL_PROCESS=s.1"] });
    expect((await start()).pids).toEqual([101]);
  });

  it("get SIGKILL when SIGTERM is not enough", async () => {
    earlier({ pid: 100, startTime: "5@boot-1" });
    proc.add({ pid: 100, start: 5 });
    stubborn = [100];
    expect(await start()).toEqual({ pids: [100], left: [], open: 0 });
    expect(sent).toEqual(["SIGTERM -100", "SIGKILL -100"]);
  });

  it("are signalled one by one once the leader of their group is gone: its number may be another's", async () => {
    earlier({ pid: 100, startTime: "5@boot-1" });
    proc.add({ pid: 100, start: 5 });
    proc.add({ pid: 101, parent: 100, group: 100 });
    stubborn = [101];
    await start();
    expect(sent).toEqual(["SIGTERM -100", "SIGKILL 101"]);
  });

  it("stay in the ledger when nothing ends them", async () => {
    earlier({ pid: 100, startTime: "5@boot-1" });
    proc.add({ pid: 100, start: 5 });
    immortal = [100];
    expect(await start()).toEqual({ pids: [100], left: [100], open: 1 });
  });

  it("are never the hall itself or what it descends from, though an agent of its own started it", async () => {
    earlier({ pid: 100, startTime: "5@boot-1" });
    proc.add({ pid: 100, start: 5, environment: ["HALL_PROCESS=s.1"] });
    proc.add({ pid: 800, parent: 100, environment: ["HALL_PROCESS=s.1"] });
    proc.add({ pid: SELF, parent: 800, environment: ["HALL_PROCESS=s.1"] });
    proc.add({ pid: 901, parent: SELF });
    proc.add({ pid: 102, parent: 100, group: 100, environment: ["HALL_PROCESS=s.1"] });
    expect((await start()).pids).toEqual([102]);
    expect(sent).toEqual(["SIGTERM 102"]);
  });
});

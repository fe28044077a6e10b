import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Family } from "../../src/agents/family.ts";
import { ProcFolder } from "../../src/agents/proc-folder.ts";
import { SharedTable } from "../../src/agents/shared-table.ts";
import { FakeProc } from "./fake-proc.ts";
import { exitOf, Workshop } from "./workshop.ts";

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a process table that many look at", () => {
  let proc: FakeProc;
  let folder: ProcFolder;
  let table: SharedTable;
  beforeEach(() => {
    proc = new FakeProc();
    folder = proc.table();
    table = new SharedTable(folder);
  });
  afterEach(() => proc.remove());

  const pids = (rows: readonly { pid: number }[]): number[] => rows.map(({ pid }) => pid);

  it("is read once for all who look in one turn of the event loop, and anew in the next", async () => {
    const [list, byMark] = [vi.spyOn(folder, "list"), vi.spyOn(folder, "byMark")];
    proc.add({ pid: 10, environment: ["HALL_PROCESS=s.1"] });
    proc.add({ pid: 11, environment: ["HALL_PROCESS=s.2"] });
    for (let looks = 0; looks < 100; looks += 1) {
      expect(pids(table.list())).toEqual([10, 11]);
      expect(pids(table.marked(new Set(["s.1"])))).toEqual([10]);
      expect(pids(table.marked(new Set(["s.2", "s.3"])))).toEqual([11]);
    }
    expect([list, byMark].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
    await nextTurn();
    proc.add({ pid: 12, environment: ["HALL_PROCESS=s.1"] });
    expect(pids(table.list())).toEqual([10, 11, 12]);
    expect(pids(table.marked(new Set(["s.1"])))).toEqual([10, 12]);
  });

  it("tells of one process as it is now", () => {
    proc.add({ pid: 10 });
    table.list();
    proc.end(10);
    expect(table.find(10)).toBeUndefined();
  });

  it("is read anew for a family of which somebody ended since: who is left behind is found", () => {
    proc.add({ pid: 10, start: 5 });
    const leaders = [{ pid: 10, startTime: "5@boot-1" }];
    const family = new Family({ table, leaders, groups: [10], marks: ["s.1"], send: () => {}, self: 1 });
    expect(pids(family.living())).toEqual([10]);
    proc.add({ pid: 11, group: 11, environment: ["HALL_PROCESS=s.1"] });
    proc.end(10);
    expect(pids(family.living())).toEqual([11]);
  });
});

it("forty agents that are stopped at once are looked for together, not one by one", async () => {
  const folder = new ProcFolder();
  const list = vi.spyOn(folder, "list");
  const workshop = new Workshop(new SharedTable(folder));
  const agents = Array.from({ length: 40 }, () => workshop.shell("exec cat"));
  await Promise.all(agents.map(({ agent }) => Promise.all([agent.stop(), exitOf(agent)])));
  // Each looks three times at least: before its stdin is closed, at its exit, and whether anybody is left.
  expect(list.mock.calls.length).toBeLessThan(40 * 2);
  await workshop.close();
});

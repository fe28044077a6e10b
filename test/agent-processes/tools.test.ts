import { describe, expect, it } from "vitest";
import { Family } from "../../src/agents/family.ts";
import type { ProcessRow, ProcessTable } from "../../src/agents/process-table.ts";
import { endTools, snapshotOf } from "../../src/agents/tools.ts";
import { HandClock } from "../../src/ground/clock.ts";

/** A process table as `ps` tells it: only leaders of sessions have one, and nobody shows a mark. */
class Table implements ProcessTable {
  readonly rows = new Map<number, ProcessRow>();

  add(pid: number, parent: number, group: number, leads = false): void {
    const session = leads ? pid : undefined;
    this.rows.set(pid, { pid, parent, group, session, startTime: `t${pid}`, zombie: false });
  }

  /** It ends; its children get another parent. */
  end(pid: number): void {
    this.rows.delete(pid);
    for (const row of this.rows.values())
      if (row.parent === pid) this.rows.set(row.pid, { ...row, parent: 1 });
  }

  list = (): ProcessRow[] => [...this.rows.values()];
  find = (pid: number): ProcessRow | undefined => this.rows.get(pid);
  marked = (): ProcessRow[] => [];
  commandLine = (): string[] => [];
}

describe("the tools of a cancelled turn, where only ps tells", () => {
  it("are a new session's leader, its group and what descends from it, also once the leader has ended", async () => {
    const table = new Table();
    table.add(100, 1, 100, true);
    const sent: string[] = [];
    const send = (pid: number, signal: string): void => {
      sent.push(`${signal} ${pid}`);
      if (signal === "SIGKILL" || pid === 200) table.end(pid);
    };
    const leader = { pid: 100, startTime: "t100" };
    const family = new Family({ table, leaders: [leader], groups: [100], marks: [], send });
    table.add(110, 100, 110, true);
    const before = snapshotOf(family);
    table.add(120, 100, 100);
    table.add(200, 100, 200, true);
    table.add(201, 200, 200);
    table.add(202, 200, 202);
    table.add(203, 202, 202);

    const clock = new HandClock();
    let over = false;
    void endTools(family, before, clock).then(() => {
      over = true;
    });
    while (!over) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(50);
    }
    expect(sent.slice(0, 4)).toEqual(["SIGTERM 200", "SIGTERM 201", "SIGTERM 202", "SIGTERM 203"]);
    expect(new Set(sent.slice(4))).toEqual(new Set(["SIGKILL 201", "SIGKILL 202", "SIGKILL 203"]));
    expect([...table.rows.keys()]).toEqual([100, 110, 120]);
  });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { descendantsOf } from "../../src/agents/process-table.ts";
import { PsListing } from "../../src/agents/ps-listing.ts";

describe("the process table as ps tells it", () => {
  it("knows parents, groups, leaders of sessions, words and start times", async () => {
    const table = new PsListing();
    const child = spawn("/bin/sh", ["-c", "sleep 600 & echo $!; cat"], { detached: true });
    const [bytes] = await once(child.stdout, "data");
    const grandchild = Number(String(bytes));
    const pid = child.pid ?? 0;
    const row = table.find(pid);
    expect(row).toMatchObject({ pid, parent: process.pid, group: pid, session: pid, zombie: false });
    expect(table.find(pid)?.startTime).toBe(row?.startTime);
    expect(Number.isNaN(Date.parse(`${row?.startTime} UTC`))).toBe(false);
    expect(table.find(grandchild)).toMatchObject({ parent: pid, group: pid, session: undefined });
    expect(descendantsOf(table.list(), [pid]).map((each) => each.pid)).toContain(grandchild);
    expect(table.commandLine(grandchild)).toEqual(["sleep", "600"]);
    process.kill(-pid, "SIGKILL");
    await once(child, "exit");
    expect(table.find(pid)).toBeUndefined();
    expect(table.commandLine(pid)).toEqual([]);
  });
});

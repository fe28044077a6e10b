import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ProcFolder } from "../../src/agents/proc-folder.ts";
import { ancestryOf, descendantsOf, isAlive } from "../../src/agents/process-table.ts";
import { FakeProc } from "./fake-proc.ts";

describe("the process table as a folder", () => {
  let proc: FakeProc;
  beforeEach(() => {
    proc = new FakeProc();
  });
  afterEach(() => proc.remove());

  it("reads a process whatever its name is", () => {
    for (const [index, name] of ["sh", "a b", "tmux: client (x)", ") R 1 1 1", "new\nline)"].entries()) {
      proc.add({ pid: 10 + index, name, parent: 5, group: 6, session: 7, start: 800 + index });
    }
    expect(proc.table().list()).toEqual(
      [10, 11, 12, 13, 14].map((pid, index) => ({
        pid,
        parent: 5,
        group: 6,
        session: 7,
        startTime: `${800 + index}@boot-1`,
        zombie: false,
      })),
    );
  });

  it("lists no zombie, but finds it: its number is not free yet", () => {
    proc.add({ pid: 10, state: "Z", threads: 0, start: 1 });
    proc.add({ pid: 11, state: "X", start: 1 });
    proc.add({ pid: 12, state: "Z", threads: 3, start: 1 });
    const table = proc.table();
    expect(table.list().map((row) => row.pid)).toEqual([12]);
    expect(table.find(10)?.zombie).toBe(true);
    expect(isAlive(table, { pid: 10, startTime: "1@boot-1" })).toBe(false);
    expect(isAlive(table, { pid: 12, startTime: "1@boot-1" })).toBe(true);
  });

  it("tells a process from another one under its number, in this boot or a later one", () => {
    proc.add({ pid: 10, start: 100 });
    const table = proc.table();
    expect(isAlive(table, { pid: 10, startTime: "100@boot-1" })).toBe(true);
    expect(isAlive(table, { pid: 10, startTime: "99@boot-1" })).toBe(false);
    expect(isAlive(table, { pid: 10, startTime: "100@boot-0" })).toBe(false);
    expect(isAlive(table, { pid: 11, startTime: "100@boot-1" })).toBe(false);
  });

  it("takes a mark only as a whole", () => {
    proc.add({ pid: 10, environment: ["PATH=/bin", "HALL_PROCESS=s.1"] });
    proc.add({ pid: 11, environment: ["HALL_PROCESS=s.12"] });
    proc.add({ pid: 12, environment: ["XHALL_PROCESS=s.1", "A=\nHALL_PROCESS=s.1"] });
    proc.add({ pid: 13, environment: ["HALL_PROCESS=s.1"], state: "Z", threads: 0 });
    proc.add({ pid: 14 });
    const marked = (...marks: string[]): number[] =>
      proc
        .table()
        .marked(new Set(marks))
        .map((row) => row.pid);
    expect(marked("s.1")).toEqual([10]);
    expect(marked("s.1", "s.12")).toEqual([10, 11]);
    expect(marked()).toEqual([]);
  });

  it("skips what ended while it looked, and what is no process", () => {
    proc.add({ pid: 10 });
    mkdirSync(join(proc.root, "11"));
    mkdirSync(join(proc.root, "12"));
    writeFileSync(join(proc.root, "12", "stat"), "");
    mkdirSync(join(proc.root, "irq"));
    expect(
      proc
        .table()
        .list()
        .map((row) => row.pid),
    ).toEqual([10]);
    expect(proc.table().commandLine(11)).toEqual([]);
  });

  it("says so when the folder itself cannot be read: nothing seen is not nothing there", () => {
    const nowhere = mkdtempSync(join(tmpdir(), "hall-proc-"));
    const table = new ProcFolder(nowhere);
    rmSync(nowhere, { recursive: true });
    expect(() => table.list()).toThrow(/ENOENT/);
  });

  it("knows real processes: this one, and a child with its words", async () => {
    const table = new ProcFolder();
    const child = spawn("/bin/sh", ["-c", "cat; : two words"], { detached: true });
    await once(child, "spawn");
    const pid = child.pid ?? 0;
    expect(table.find(pid)).toMatchObject({ parent: process.pid, group: pid, session: pid, zombie: false });
    expect(table.commandLine(pid)).toEqual(["/bin/sh", "-c", "cat; : two words"]);
    expect(table.list().map((row) => row.pid)).toEqual(expect.arrayContaining([process.pid, pid]));
    expect(ancestryOf(table.list(), pid).has(process.pid)).toBe(true);
    child.stdin.end();
    await once(child, "exit");
    expect(table.find(pid)).toBeUndefined();
  });
});

describe("descent", () => {
  const row = (pid: number, parent: number) => ({
    pid,
    parent,
    group: 0,
    session: 0,
    startTime: "",
    zombie: false,
  });

  it("goes through all generations, and stops at a loop", () => {
    const rows = [row(2, 1), row(3, 2), row(4, 3), row(5, 1), row(7, 8), row(8, 7)];
    expect(descendantsOf(rows, [2]).map(({ pid }) => pid)).toEqual([3, 4]);
    expect(descendantsOf(rows, [7]).map(({ pid }) => pid)).toEqual([8]);
    expect([...ancestryOf(rows, 4)]).toEqual([4, 3, 2, 1]);
    expect([...ancestryOf(rows, 7)]).toEqual([7, 8]);
  });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { type LivingProcesses, ProcessGroup } from "../../src/workspace/process-group.ts";
import { advanceUntil } from "./hands.ts";

/** A real process that leads a group of its own and runs until its stdin ends. */
function startLeader() {
  const child = spawn("cat", { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  const { pid } = child;
  if (pid === undefined) throw new Error("cat did not start");
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  return { child, pid, hasExited: () => child.exitCode !== null || child.signalCode !== null };
}

const listing = (...rows: { pid: number; group: number }[]): LivingProcesses => ({ list: () => rows });

describe("a command's process group", () => {
  it("is there while its leader runs", async () => {
    const leader = startLeader();
    const group = new ProcessGroup(leader, listing(), new HandClock());
    expect(group.isGone).toBe(false);
    leader.child.stdin.end();
    await once(leader.child, "exit");
    expect(group.isGone).toBe(true);
  });

  it("is not touched once its number is another process's", async () => {
    const stranger = startLeader();
    const own = { pid: stranger.pid, hasExited: () => true };
    const group = new ProcessGroup(own, listing({ pid: stranger.pid, group: stranger.pid }), new HandClock());
    expect(group.isGone).toBe(true);
    await group.end(1_000);
    stranger.child.stdin.end();
    expect(await once(stranger.child, "exit")).toEqual([0, null]);
  });

  it("counts nobody who has only not been waited for yet", () => {
    const { pid } = startLeader();
    const group = new ProcessGroup({ pid, hasExited: () => true }, listing(), new HandClock());
    expect(group.isGone).toBe(true);
  });

  it("may still be there while the processes cannot be listed: then it is ended by the clock", async () => {
    const child = spawn("sh", ["-c", "trap '' TERM; echo ready; cat"], { detached: true });
    await once(child.stdout, "data");
    const clock = new HandClock();
    const blind: LivingProcesses = {
      list() {
        throw new Error("EMFILE: too many open files");
      },
    };
    const group = new ProcessGroup({ pid: child.pid ?? 0, hasExited: () => true }, blind, clock);
    expect(group.isGone).toBe(false);
    const began = clock.monotonic();
    const exit = once(child, "exit");
    await advanceUntil(group.end(1_000), clock);
    expect(await exit).toEqual([null, "SIGKILL"]);
    expect(clock.monotonic() - began).toBeGreaterThanOrEqual(1_000);
  });

  it("is given up after twice the grace when somebody in it does not go", async () => {
    const leader = startLeader();
    const clock = new HandClock();
    const group = new ProcessGroup({ ...leader, hasExited: () => false }, listing(), clock);
    const began = clock.monotonic();
    await advanceUntil(group.end(1_000), clock);
    expect(clock.monotonic() - began).toBe(2_000);
    expect(clock.pending).toBe(0);
  });
});

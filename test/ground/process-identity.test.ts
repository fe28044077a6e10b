import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import {
  identify,
  isProcessIdentity,
  standing,
  startFromPs,
  thisProcess,
} from "../../src/ground/process-identity.ts";

/** A process that runs until its stdin ends. */
function startCat() {
  const child = spawn("cat", { stdio: ["pipe", "ignore", "ignore"] });
  const { pid } = child;
  if (pid === undefined) throw new Error("cat did not start");
  return { child, pid };
}

describe("a process's identity", () => {
  it("is that of a running process until it is over", async () => {
    const { child, pid } = startCat();
    const identity = identify(pid);
    if (!identity) throw new Error("cat is not seen");
    expect(standing(identity)).toBe("running");
    child.stdin.end();
    await once(child, "exit");
    expect(standing(identity)).toBe("gone");
    expect(identify(pid)).toBeUndefined();
  });

  it("survives being written down", () => {
    const copy: unknown = JSON.parse(JSON.stringify(thisProcess()));
    expect(isProcessIdentity(copy) && standing(copy)).toBe("running");
  });

  it("is not that of a later process with the same pid", () => {
    expect(standing({ ...thisProcess(), startTime: "1" })).toBe("gone");
  });

  it("ends with the machine's run, for ticks since boot say nothing about another", () => {
    expect(standing({ ...thisProcess(), boot: "another" })).toBe("gone");
  });

  it.runIf(process.platform === "linux")("cannot be judged from another pid namespace", () => {
    expect(standing({ ...thisProcess(), namespace: "pid:[1]" })).toBe("elsewhere");
  });

  it.runIf(process.platform === "linux")("is not that of a zombie", async () => {
    // The shell becomes a program that never waits for the child it got with that.
    const parent = spawn("sh", ["-c", "sleep 0 & echo $!; exec sleep 60"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [line] = (await once(parent.stdout, "data")) as [Buffer];
    const pid = Number(line.toString());
    await expect.poll(() => identify(pid), { timeout: 20_000 }).toBeUndefined();
    expect(() => process.kill(pid, 0)).not.toThrow();
    parent.kill("SIGKILL");
    await once(parent, "exit");
  });

  it.runIf(spawnSync("ps").status === 0)("is told by ps where there is no /proc", async () => {
    const { child, pid } = startCat();
    expect(startFromPs(pid)).toMatch(/^\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}$/);
    child.stdin.end();
    await once(child, "exit");
    expect(startFromPs(pid)).toBeUndefined();
  });

  it("is not read out of anything else", () => {
    const wrong = [
      null,
      "1",
      {},
      { pid: "1", startTime: "1" },
      { pid: 1, startTime: 1 },
      { pid: 1.5, startTime: "" },
    ];
    expect(wrong.filter(isProcessIdentity)).toEqual([]);
    expect(isProcessIdentity({ pid: 1, startTime: "1", boot: 7 })).toBe(false);
  });
});

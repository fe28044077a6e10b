import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { realDisk } from "../../src/ground/disk.ts";
import { identify, type ProcessIdentity, thisProcess } from "../../src/ground/process-identity.ts";
import { announce, type RunningHall, runningHalls } from "../../src/hall/addresses.ts";

const isRoot = process.geteuid?.() === 0;

describe("the addresses of running halls", () => {
  let home: string;
  let environment: { HOME: string; XDG_RUNTIME_DIR: string };
  beforeEach(() => {
    home = fs.mkdtempSync(path.join(os.tmpdir(), "hall-addresses-"));
    environment = { HOME: home, XDG_RUNTIME_DIR: path.join(home, "runtime") };
  });
  afterEach(() => fs.rmSync(home, { recursive: true }));

  const hall = (state: string, identity: ProcessIdentity = thisProcess()): RunningHall => ({
    ...identity,
    state,
    roster: "/etc/hall.yml",
    addresses: { tcp: "127.0.0.1:7420", http: null, unix: `${state}/hall.sock` },
    version: "1.2.3",
  });
  const written = (): string[] => fs.readdirSync(path.join(home, "runtime", "hall"));

  it("are found by whoever looks, until they are withdrawn", () => {
    const withdraw = announce(hall("/a"), realDisk, environment);
    announce(hall("/b"), realDisk, environment);
    const byState = (a: RunningHall, b: RunningHall): number => a.state.localeCompare(b.state);
    expect(runningHalls(realDisk, environment).sort(byState)).toEqual([hall("/a"), hall("/b")]);
    withdraw();
    expect(runningHalls(realDisk, environment)).toEqual([hall("/b")]);
  });

  it("are for this user's eyes", () => {
    announce(hall("/a"), realDisk, environment);
    const folder = path.join(home, "runtime", "hall");
    const modes = [folder, ...written().map((name) => path.join(folder, name))].map(
      (file) => fs.statSync(file).mode,
    );
    expect(modes.map((mode) => mode & 0o777)).toEqual([0o700, 0o600]);
  });

  it("of a hall that is gone are passed over and removed", async () => {
    const child = spawn("cat", { stdio: ["pipe", "ignore", "ignore"] });
    const identity = identify(child.pid ?? 0);
    if (!identity) throw new Error("cat did not start");
    announce(hall("/a", identity), realDisk, environment);
    expect(runningHalls(realDisk, environment)).toHaveLength(1);
    child.stdin.end();
    await once(child, "exit");
    expect(runningHalls(realDisk, environment)).toEqual([]);
    expect(written()).toEqual([]);
  });

  it.runIf(process.platform === "linux")("of another container's hall are passed over and left alone", () => {
    announce(hall("/a", { ...thisProcess(), namespace: "pid:[1]" }), realDisk, environment);
    expect(runningHalls(realDisk, environment)).toEqual([]);
    expect(written()).toHaveLength(1);
  });

  it("are found at home by a hall's client that knows of no runtime folder, and the other way round", () => {
    const bare = { HOME: home };
    announce(hall("/a"), realDisk, bare);
    expect(runningHalls(realDisk, environment)).toEqual([hall("/a")]);
    expect(fs.readdirSync(path.join(home, ".local", "state", "hall"))).toHaveLength(1);
  });

  it("are not read out of nonsense", () => {
    announce(hall("/a"), realDisk, environment);
    const folder = path.join(home, "runtime", "hall");
    fs.writeFileSync(path.join(folder, "cut.json"), '{"pid":');
    fs.writeFileSync(path.join(folder, "other.json"), JSON.stringify({ ...hall("/b"), addresses: {} }));
    fs.writeFileSync(path.join(folder, "note.txt"), JSON.stringify(hall("/c")));
    expect(runningHalls(realDisk, environment)).toEqual([hall("/a")]);
  });

  it.runIf(isRoot)("are neither written nor believed in a folder of another user", () => {
    const folder = path.join(home, "runtime", "hall");
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, "trap.json"), JSON.stringify(hall("/trap")));
    fs.chownSync(folder, 65_534, 65_534);
    announce(hall("/a"), realDisk, environment);
    expect(runningHalls(realDisk, environment)).toEqual([hall("/a")]);
  });

  it("that can be written nowhere are an error that says so", () => {
    fs.writeFileSync(path.join(home, "runtime"), "");
    fs.writeFileSync(path.join(home, ".local"), "");
    expect(() => announce(hall("/a"), realDisk, environment)).toThrow("No folder for this hall's addresses");
  });
});

import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HandClock, systemClock } from "../../src/ground/clock.ts";
import { type Disk, realDisk } from "../../src/ground/disk.ts";
import { thisProcess } from "../../src/ground/process-identity.ts";
import { Locked } from "../../src/hall/lock.ts";
import { openState, type State } from "../../src/hall/state.ts";

const isRoot = process.geteuid?.() === 0;

describe("a state directory", () => {
  let home: string;
  let folder: string;
  let opened: State[];
  beforeEach(() => {
    home = fs.mkdtempSync(path.join(os.tmpdir(), "hall-state-"));
    folder = path.join(home, ".hall");
    opened = [];
  });
  afterEach(() => fs.rmSync(home, { recursive: true }));

  const open = async (place = folder, disk: Disk = realDisk, clock = systemClock): Promise<State> => {
    const state = await openState(place, {
      disk,
      clock,
      version: "1.2.3",
      environment: { XDG_RUNTIME_DIR: home },
    });
    opened.push(state);
    return state;
  };

  it("is made for this user alone, and tightened when it was open to others", async () => {
    const state = await open();
    expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
    state.release(true);
    fs.chmodSync(folder, 0o755);
    await open();
    expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
  });

  it.runIf(isRoot)("of another user is refused", async () => {
    fs.mkdirSync(folder);
    fs.chownSync(folder, 65_534, 65_534);
    await expect(open()).rejects.toThrow("belongs to another user");
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it("is one and the same by whatever link it is named", async () => {
    await open();
    const link = path.join(home, "link");
    fs.symlinkSync(folder, link);
    await expect(open(link)).rejects.toThrow(Locked);
    await expect(open(path.join(home, "link", "..", ".hall"))).rejects.toThrow(Locked);
  });

  it("has one hall at a time, also in one process", async () => {
    const state = await open();
    await expect(open()).rejects.toThrow(`pid ${process.pid}`);
    state.release(true);
    await open();
  });

  it("keeps its id for ever", async () => {
    const first = await open();
    expect(first.id).toMatch(/^[0-9a-f]{16}$/);
    first.release(true);
    expect((await open()).id).toBe(first.id);
  });

  it("says where its sessions and its socket are", async () => {
    const state = await open();
    expect(state.folder).toBe(fs.realpathSync(folder));
    expect(state.sessionsFolder).toBe(path.join(state.folder, "sessions"));
    expect(state.socketPath).toBe(path.join(state.folder, "hall.sock"));
  });

  it("has its socket elsewhere when its own path is too long for one", async () => {
    const state = await open(path.join(home, "d".repeat(100)));
    expect(path.dirname(path.dirname(state.socketPath))).toBe(home);
  });

  it("is let go when its start fails, as on a full disk", async () => {
    const full: Disk = {
      ...realDisk,
      replace() {
        throw new Error("ENOSPC: no space left on device");
      },
    };
    await expect(open(folder, full)).rejects.toThrow("ENOSPC");
    await open();
  });

  it("is let go when the clean stop cannot be noted, which then was none", async () => {
    let isFull = false;
    const disk: Disk = {
      ...realDisk,
      replace(file, content) {
        if (isFull) throw new Error("ENOSPC: no space left on device");
        realDisk.replace(file, content);
      },
    };
    const state = await open(folder, disk);
    isFull = true;
    expect(() => state.release(true)).toThrow("ENOSPC");
    expect((await open()).wasClean).toBe(false);
  });

  describe("held where its holder's pid means nothing to us", () => {
    const began = Date.parse("2026-01-01T00:00:00.000Z");
    const clock = new HandClock(began + 61_000);
    const holdElsewhere = (): string => {
      const socket = path.join(home, "other.sock");
      const since = new Date(began).toISOString();
      const identity = { ...thisProcess(), pid: 1, namespace: "pid:[1]" };
      fs.mkdirSync(folder, { mode: 0o700 });
      const holder = { ...identity, key: "abc", version: "1", since, socket };
      fs.writeFileSync(path.join(folder, "lock"), JSON.stringify(holder));
      return socket;
    };
    const onLinux = it.runIf(process.platform === "linux");

    onLinux("is refused while the holder's socket answers", async () => {
      const server = net.createServer();
      const socket = holdElsewhere();
      await new Promise<void>((resolve) => {
        server.listen(socket, resolve);
      });
      await expect(open(folder, realDisk, clock)).rejects.toThrow(Locked);
      await new Promise((resolve) => {
        server.close(resolve);
      });
    });

    onLinux("is taken when nobody answers there", async () => {
      holdElsewhere();
      await open(folder, realDisk, clock);
    });

    onLinux("is refused for the minute in which the holder may still be starting", async () => {
      holdElsewhere();
      await expect(open(folder, realDisk, new HandClock(began + 59_000))).rejects.toThrow(Locked);
    });
  });
});

import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { WatchedDisk } from "../../src/ground/watched-disk.ts";
import { full, MemoryDisk } from "../hall/memory-disk.ts";

function watched() {
  const disk = new MemoryDisk();
  const clock = new HandClock(1_000);
  const news: (string | undefined)[] = [];
  const watching = new WatchedDisk(disk, clock, (trouble) => news.push(trouble?.message));
  const write = (): void => {
    watching.open("/f").write(Buffer.from("line\n"), 0, 5, 0);
  };
  return { disk, clock, news, watching, write };
}

describe("a disk that is watched", () => {
  it("is in trouble from the first write that fails until one works, and says each once", () => {
    const { disk, clock, news, watching, write } = watched();
    write();
    disk.writes = [full(), full()];
    expect(write).toThrow("ENOSPC");
    clock.advance(500);
    expect(write).toThrow("ENOSPC");
    expect(watching.trouble).toEqual({ since: 1_000, message: expect.stringContaining("ENOSPC") });
    write();
    expect(watching.trouble).toBeUndefined();
    expect(news).toEqual([expect.stringContaining("ENOSPC"), undefined]);
  });

  it("is in trouble when a file cannot be replaced, made or synced, and not healed by half a write", async () => {
    const { disk, watching, write } = watched();
    disk.broken = full();
    expect(() => watching.replace("/g", "")).toThrow("ENOSPC");
    expect(watching.trouble).toBeDefined();
    disk.broken = undefined;
    disk.writes = [2];
    write();
    expect(watching.trouble).toBeDefined();
    watching.replace("/g", "");
    expect(watching.trouble).toBeUndefined();
    disk.syncs = [full()];
    await expect(watching.open("/f").syncSoon()).rejects.toThrow("ENOSPC");
    expect(watching.trouble).toBeDefined();
  });
});

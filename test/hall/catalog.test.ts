import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { Catalog, type Summary } from "../../src/hall/catalog.ts";
import { full, MemoryDisk } from "./memory-disk.ts";

const INDEX = "/state/index.jsonl";

const summary = (id: string, turns: number): Summary => ({
  id,
  slot: "s",
  cwd: "/",
  additionalDirectories: [],
  owner: "local",
  title: undefined,
  updatedAt: turns,
  turns,
});

function openCatalog(disk: MemoryDisk, records: Summary[], wasClean: boolean): Catalog {
  const parts = { disk, clock: new HandClock(), noticed: () => {} };
  return Catalog.open("/state", parts, () => records, wasClean);
}

describe("the index of sessions", () => {
  it("tells after a clean stop what was put in, without a look at the records", () => {
    const disk = new MemoryDisk();
    const before = openCatalog(disk, [], true);
    before.put(summary("a", 1));
    before.put(summary("b", 1));
    before.put(summary("a", 2));
    before.remove("b");
    before.close();
    expect([...openCatalog(disk, [], true).all]).toEqual([summary("a", 2)]);
  });

  it("is made anew from the records after a clean stop too, when a line of it could not be written", () => {
    const disk = new MemoryDisk();
    const before = openCatalog(disk, [], true);
    before.put(summary("a", 0));
    disk.writes = [full()];
    before.put(summary("a", 1));
    before.put(summary("b", 1));
    before.close();
    expect(disk.exists(INDEX)).toBe(false);
    const records = [summary("a", 1), summary("b", 1)];
    expect([...openCatalog(disk, records, true).all]).toEqual(records);
  });

  it("still knows in the meantime what could not be written", () => {
    const disk = new MemoryDisk();
    const catalog = openCatalog(disk, [], true);
    disk.broken = full();
    catalog.put(summary("a", 1));
    expect(catalog.get("a")).toEqual(summary("a", 1));
  });
});

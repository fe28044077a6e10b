import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assert, constantFrom, integer, nat, property, array as sequence, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { realDisk } from "../../src/ground/disk.ts";
import { Catalog, type Summary, sessionInfo } from "../../src/hall/catalog.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";
import { full, MemoryDisk } from "./memory-disk.ts";

const PATH = "/state/index.jsonl";

const summary = (id: string, updatedAt = 0, more: Partial<Summary> = {}): Summary => ({
  id,
  slot: "demo",
  cwd: "/work",
  additionalDirectories: [],
  owner: "local",
  title: undefined,
  updatedAt,
  turns: 1,
  bytes: 0,
  ...more,
});

function catalogOf(disk = new MemoryDisk(), { clean = true, rebuilt = [] as Summary[] } = {}) {
  const noticed: string[] = [];
  const parts = { disk, clock: new HandClock(), noticed: (what: string) => noticed.push(what) };
  let rebuilds = 0;
  const open = (): Catalog =>
    Catalog.open(
      "/state",
      parts,
      () => {
        rebuilds += 1;
        return rebuilt;
      },
      clean,
    );
  const catalog = open();
  return { catalog, disk, noticed, rebuilds: () => rebuilds, lines: () => `${disk.files.get(PATH)}` };
}

const ids = (catalog: Catalog): string[] => [...catalog.all].map(({ id }) => id);

/** All pages, one after another; `between` runs before each but the first. */
function pages(catalog: Catalog, between: () => void = () => {}): string[][] {
  const found: string[][] = [];
  let cursor: string | undefined;
  do {
    if (cursor !== undefined) between();
    const { sessions, next } = catalog.page(cursor, undefined, isOurs);
    found.push(sessions.map(({ id }) => id));
    cursor = next;
  } while (cursor !== undefined);
  return found;
}

const isOurs = ({ owner }: Summary): boolean => owner === "local";

describe("the catalog", () => {
  it("knows at the next start what it was told, the last word of each session counting", () => {
    const { catalog, disk } = catalogOf();
    catalog.put(summary("a", 1));
    catalog.put(summary("b", 2, { title: "Two" }));
    catalog.put(summary("a", 3, { turns: 7 }));
    catalog.remove("b");
    catalog.remove("nobody");
    catalog.put(summary("c", 4, { title: "Three", additionalDirectories: ["/x"] }));
    expect(catalog.close()).toBe(true);
    const { catalog: next, rebuilds } = catalogOf(disk);
    expect(rebuilds()).toBe(0);
    expect([...next.all]).toEqual([
      summary("a", 3, { turns: 7 }),
      summary("c", 4, { title: "Three", additionalDirectories: ["/x"] }),
    ]);
    expect([next.size, next.get("c")?.title, next.get("b")]).toEqual([2, "Three", undefined]);
  });

  it.each<[string, (disk: MemoryDisk) => void, boolean]>([
    ["the hall before did not stop cleanly", () => {}, false],
    ["the file is missing", (disk) => disk.files.delete(PATH), true],
    ["its last line is torn", (disk) => disk.files.set(PATH, Buffer.from('{"id":"a"')), true],
    ["a line of it cannot be read", (disk) => disk.files.set(PATH, Buffer.from("nonsense\n")), true],
    ["a line of it is no summary", (disk) => disk.files.set(PATH, Buffer.from('{"id":"a"}\n')), true],
    [
      "a line of it lacks a number",
      (disk) => disk.files.set(PATH, Buffer.from(`${JSON.stringify({ ...summary("a"), turns: null })}\n`)),
      true,
    ],
  ])("is made anew from the sessions' own records when %s", (_name, damage, clean) => {
    const { catalog, disk } = catalogOf();
    catalog.put(summary("a"));
    catalog.close();
    damage(disk);
    const {
      catalog: next,
      rebuilds,
      lines,
    } = catalogOf(disk, { clean, rebuilt: [summary("b"), summary("c")] });
    expect([rebuilds(), ids(next)]).toEqual([1, ["b", "c"]]);
    expect(lines().split("\n")).toHaveLength(3);
  });

  it("is not trusted at the next start when a line could not be written, however cleanly the hall stopped", () => {
    const { catalog, disk, noticed } = catalogOf();
    catalog.put(summary("a"));
    disk.writes = [full()];
    catalog.put(summary("b"));
    expect(ids(catalog)).toEqual(["a", "b"]);
    expect(noticed).toHaveLength(1);
    expect(catalog.close()).toBe(true);
    const { catalog: next, rebuilds } = catalogOf(disk, { rebuilt: [summary("a"), summary("b")] });
    expect([rebuilds(), ids(next)]).toEqual([1, ["a", "b"]]);
  });

  it("lets a hall start on a full disk, says that it could not be written, and is whole when there is room", () => {
    const disk = new MemoryDisk();
    disk.broken = full();
    const { catalog, noticed } = catalogOf(disk, { rebuilt: [summary("a")] });
    expect([ids(catalog), noticed.length]).toEqual([["a"], 1]);
    disk.broken = undefined;
    catalog.put(summary("b"));
    catalog.close();
    const next = catalogOf(disk);
    expect([ids(next.catalog).sort(), next.rebuilds()]).toEqual([["a", "b"], 0]);
  });

  it("says when it could not be synced, so that the next start doubts it", () => {
    const { catalog, disk, noticed } = catalogOf();
    catalog.put(summary("a"));
    disk.syncs = [full()];
    expect(catalog.close()).toBe(false);
    expect(noticed).toHaveLength(1);
    expect(disk.opened).toBe(0);
  });

  it("does not grow without end: now and then it is written anew", () => {
    const folder = temporaryFolder();
    const parts = { disk: realDisk, clock: new HandClock(), noticed: () => {} };
    const open = (): Catalog => Catalog.open(folder, parts, () => [], true);
    const catalog = open();
    for (let count = 0; count < 15_000; count += 1) catalog.put(summary(`s${count % 3}`, count));
    expect(readFileSync(join(folder, "index.jsonl"), "utf8").split("\n").length).toBeLessThan(10_010);
    catalog.close();
    const times = [...open().all].map(({ id, updatedAt }) => `${id} ${updatedAt}`);
    expect(times).toEqual(["s0 14997", "s1 14998", "s2 14999"]);
  });
});

describe("a page of the catalog", () => {
  it("has fifty sessions, the newest first, and says where the next one begins", () => {
    const { catalog } = catalogOf();
    for (let count = 0; count < 120; count += 1)
      catalog.put(summary(`s${String(count).padStart(3, "0")}`, count % 7));
    const all = pages(catalog);
    expect(all.map(({ length }) => length)).toEqual([50, 50, 20]);
    const wanted = [...catalog.all].sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1));
    expect(all.flat()).toEqual(wanted.map(({ id }) => id));
  });

  it("leaves out sessions without a turn, of another folder, and of another owner", () => {
    const { catalog } = catalogOf();
    catalog.put(summary("a", 4));
    catalog.put(summary("no turn", 3, { turns: 0 }));
    catalog.put(summary("elsewhere", 2, { cwd: "/else" }));
    catalog.put(summary("another's", 1, { owner: "bob" }));
    const shown = (cwd?: string) => catalog.page(undefined, cwd, isOurs).sessions.map(({ id }) => id);
    expect([shown(), shown("/work"), shown("/none")]).toEqual([["a", "elsewhere"], ["a"], []]);
  });

  it("is the last where exactly fifty are left", () => {
    const { catalog } = catalogOf();
    for (let count = 0; count < 50; count += 1) catalog.put(summary(`s${count}`, count));
    expect(catalog.page(undefined, undefined, isOurs)).not.toHaveProperty("next");
  });

  it.each([
    "",
    "nonsense",
    Buffer.from("[]").toString("base64url"),
    Buffer.from('["a",1]').toString("base64url"),
  ])("has no place that the hall never gave: %j", (cursor) => {
    const { catalog } = catalogOf();
    expect(() => catalog.page(cursor, undefined, isOurs)).toThrow(expect.objectContaining({ code: -32602 }));
  });

  it("shows each session once, and each that stays as it is, whatever changes between the pages", () => {
    const change = tuple(constantFrom("touch", "remove", "add"), nat({ max: 199 }));
    assert(
      property(
        integer({ min: 0, max: 200 }),
        sequence(sequence(change, { maxLength: 5 }), { maxLength: 5 }),
        (size, changes) => {
          const { catalog } = catalogOf();
          for (let count = 0; count < size; count += 1) catalog.put(summary(`s${count}`, count % 5));
          const changed = new Set<string>();
          let now = 100;
          const all = pages(catalog, () => {
            for (const [what, number] of changes.shift() ?? []) {
              now += 1;
              const id = what === "add" ? `new${now}` : `s${number}`;
              changed.add(id);
              if (what === "remove") catalog.remove(id);
              else if (what === "add" || catalog.get(id)) catalog.put(summary(id, now));
            }
          }).flat();
          expect(new Set(all).size).toBe(all.length);
          const stayed = Array.from({ length: size }, (_, count) => `s${count}`).filter(
            (id) => !changed.has(id),
          );
          expect(all).toEqual(expect.arrayContaining(stayed));
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("a session as a list shows it", () => {
  it("has what ACP has a place for, and nothing that is empty", () => {
    expect(sessionInfo(summary("a", Date.UTC(2026, 0, 2)))).toEqual({
      sessionId: "a",
      cwd: "/work",
      updatedAt: "2026-01-02T00:00:00.000Z",
      _meta: { "hall/slot": "demo" },
    });
    expect(sessionInfo(summary("a", 0, { title: "", additionalDirectories: ["/x"] }))).toMatchObject({
      title: "",
      additionalDirectories: ["/x"],
    });
  });
});

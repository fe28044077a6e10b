import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { describe, expect, it } from "vitest";

/** The house, from the ground up. A room may import from floors below its own, and from itself. */
const FLOORS: Record<string, number> = {
  ground: 0,
  wire: 1,
  acp: 2,
  bridge: 3,
  permission: 3,
  agents: 3,
  workspace: 3,
  hall: 4,
  server: 5,
  trial: 5,
  cli: 6,
  demo: 6,
};

const src = resolve(import.meta.dirname, "..", "src");
const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));

interface Import {
  from: string;
  to: string;
  /** Nothing of it is left when the program runs. */
  ofTypes?: boolean;
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(src, file), "utf8");
  const found = text.matchAll(/(?:^(import|export) type [^;]*?)?(?:from|import)\s*\(?\s*"(\.[^"]+)"/gm);
  return [...found].map(([, typed, path = ""]) => ({
    from: file,
    to: relative(src, resolve(src, file, "..", path)),
    ofTypes: typed !== undefined,
  }));
}

const isOfValues = ({ ofTypes }: Import): boolean => ofTypes !== true;

/** Files that need each other, as the walk from each first file comes round to it. */
function ringsIn(needs: ReadonlyMap<string, readonly string[]>): string[][] {
  const rings: string[][] = [];
  const done = new Set<string>();
  const walk = (file: string, way: readonly string[]): void => {
    const at = way.indexOf(file);
    if (at !== -1) rings.push(way.slice(at));
    if (at !== -1 || done.has(file)) return;
    for (const next of needs.get(file) ?? []) walk(next, [...way, file]);
    done.add(file);
  };
  for (const file of needs.keys()) walk(file, []);
  return rings;
}

const roomOf = (file: string): string => file.split(sep)[0] ?? "";
const goesUp = ({ from, to }: Import): boolean => {
  const [here, there] = [roomOf(from), roomOf(to)];
  if (here === there) return false;
  const [mine, theirs] = [FLOORS[here], FLOORS[there]];
  return mine === undefined || theirs === undefined || theirs >= mine;
};

describe("the house", () => {
  it("has a floor for each room", () => {
    const rooms = new Set(files.map(roomOf));
    expect([...rooms].filter((room) => FLOORS[room] === undefined)).toEqual([]);
  });

  it("has no import that goes up, or across to another room of the same floor", () => {
    expect(files.flatMap(importsOf).filter(goesUp)).toEqual([]);
  });

  it("has no ring of imports: each file can be read with what it stands on", () => {
    expect(
      ringsIn(
        new Map(
          files.map((file) => [
            file,
            importsOf(file)
              .filter(isOfValues)
              .map(({ to }) => to),
          ]),
        ),
      ),
    ).toEqual([]);
  });

  it("sees a ring of imports", () => {
    const ring = new Map([
      ["a.ts", ["b.ts"]],
      ["b.ts", ["c.ts", "a.ts"]],
      ["c.ts", []],
    ]);
    expect(ringsIn(ring)).toEqual([["a.ts", "b.ts"]]);
  });

  it("sees an import that goes up", () => {
    expect(goesUp({ from: join("wire", "peer.ts"), to: join("hall", "hall.ts") })).toBe(true);
    expect(goesUp({ from: join("agents", "process.ts"), to: join("bridge", "bridge.ts") })).toBe(true);
    expect(goesUp({ from: join("hall", "hall.ts"), to: join("wire", "peer.ts") })).toBe(false);
  });

  it("never frames lines with node:readline, which splits at U+2028 from Node 24 on", () => {
    const users = files.filter((file) => readFileSync(join(src, file), "utf8").includes('"node:readline'));
    expect(users.filter((file) => roomOf(file) !== "cli" && roomOf(file) !== "demo")).toEqual([]);
  });
});

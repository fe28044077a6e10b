import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fileUri } from "../../src/hall/file-uri.ts";
import { PathMap } from "../../src/hall/path-map.ts";

const ann = { client: "/Users/ann/work", agent: "/work" };

describe("a cwd_map", () => {
  it("changes the beginning of a path, both ways, and leaves what is in none of its folders", () => {
    const map = new PathMap([ann]);
    expect(map.toAgent("/Users/ann/work/a/b.ts")).toBe("/work/a/b.ts");
    expect(map.toClient("/work/a/b.ts")).toBe("/Users/ann/work/a/b.ts");
    expect(map.toAgent("/Users/ann/work")).toBe("/work");
    expect(map.toAgent("/Users/ann/notes")).toBe("/Users/ann/notes");
  });

  it("takes whole names: a folder whose name only begins alike is another", () => {
    const map = new PathMap([ann]);
    expect(map.toAgent("/Users/ann/workshop/a")).toBe("/Users/ann/workshop/a");
    expect(map.toClient("/work-2")).toBe("/work-2");
  });

  it("goes by the longest folder, whatever the order", () => {
    const pairs = [ann, { client: "/Users/ann/work/deep", agent: "/deep" }];
    for (const map of [new PathMap(pairs), new PathMap(pairs.toReversed())]) {
      expect(map.toAgent("/Users/ann/work/deep/x")).toBe("/deep/x");
      expect(map.toClient("/deep/x")).toBe("/Users/ann/work/deep/x");
    }
  });

  it("takes folders with or without a slash at their end, and the root", () => {
    expect(new PathMap([{ client: "/a/", agent: "/b/" }]).toAgent("/a/c")).toBe("/b/c");
    const root = new PathMap([{ client: "/host", agent: "/" }]);
    expect([root.toAgent("/host"), root.toAgent("/host/a"), root.toClient("/a")]).toEqual([
      "/",
      "/a",
      "/host/a",
    ]);
  });

  it("calls one folder as the client of the session does, where two call it otherwise; else as the first", () => {
    const map = new PathMap([ann, { client: "/home/bob/work", agent: "/work" }]);
    expect(map.toClient("/work/x")).toBe("/Users/ann/work/x");
    expect(map.forSession("/home/bob/work/p").toClient("/work/x")).toBe("/home/bob/work/x");
    expect(map.forSession("/elsewhere").toClient("/work/x")).toBe("/Users/ann/work/x");
  });

  const name = fc.stringMatching(/^[a-z%#? é.]{1,6}$/);
  const names = fc.array(name, { minLength: 1, maxLength: 3 });
  const folder = names.map((parts) => `/${parts.join("/")}`);

  /** No folder is in another one, on either side: whatever is in one of them has one name there, and one here. */
  const pairs = fc
    .array(fc.record({ client: folder, agent: folder }), { minLength: 1, maxLength: 4 })
    .map((all) =>
      all.map(({ client, agent }, at) => ({ client: `/c${at}${client}`, agent: `/a${at}${agent}` })),
    );

  it("is undone by the way back", () => {
    fc.assert(
      fc.property(pairs, fc.nat(3), names, (all, which, inside) => {
        const map = new PathMap(all);
        const pair = all[which % all.length];
        const path = `${pair?.client}/${inside.join("/")}`;
        expect(map.toAgent(path)).toBe(`${pair?.agent}/${inside.join("/")}`);
        expect(map.toClient(map.toAgent(path))).toBe(path);
      }),
    );
  });

  it("is undone by the way back in addresses too, however they are spelled", () => {
    fc.assert(
      fc.property(pairs, fc.nat(3), names, (all, which, inside) => {
        const map = new PathMap(all);
        const path = `${all[which % all.length]?.client}/${inside.join("/")}`;
        const uri = `file://${path.split("/").map(encodeURIComponent).join("/")}#L10`;
        const there = fileUri(uri, (one) => map.passage(one, "client"));
        expect(decodeURIComponent(there)).toBe(`file://${map.toAgent(path)}#L10`);
        expect(fileUri(there, (one) => map.passage(one, "agent"))).toBe(uri);
      }),
    );
  });
});

describe("the address of a file", () => {
  const toAgent = (uri: string) => fileUri(uri, (path) => new PathMap([ann]).passage(path, "client"));

  it.each([
    ["file:///Users/ann/work/a%20b.md#L10", "file:///work/a%20b.md#L10"],
    ["file:///Users/ann/w%6Frk/x", "file:///work/x"],
    ["file://localhost/Users/ann/work?q", "file://localhost/work?q"],
    ["file:/Users/ann/work/x", "file:/work/x"],
  ])("is changed in its beginning alone: %s", (uri, there) => {
    expect(toAgent(uri)).toBe(there);
  });

  it.each([
    "file://other-host/Users/ann/work/x",
    "file:///Users/ann/workshop",
    "file:///Users/ann%2fwork/x",
    "file:///Users/ann/work/%zz",
    "https://example.com/Users/ann/work/x",
    "/Users/ann/work/x",
    "",
  ])("is left as it is when it is not one of a mapped folder: %s", (uri) => {
    expect(toAgent(uri)).toBe(uri);
  });
});

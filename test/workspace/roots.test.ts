import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Roots } from "../../src/workspace/roots.ts";
import { rejection, Sandbox } from "./sandbox.ts";

describe("the roots of a session", () => {
  let sandbox: Sandbox;
  let roots: Roots;
  beforeEach(() => {
    sandbox = new Sandbox();
    roots = rootsWithout();
  });
  afterEach(() => sandbox.remove());

  const rootsWithout = (...forbidden: string[]): Roots =>
    new Roots(sandbox.project, [sandbox.library], forbidden);
  const refused = async (file: string, by = roots): Promise<string> => {
    const { code, message } = await rejection(by.resolve(file));
    expect(code).toBe(-32602);
    return message;
  };

  it("admit what is in the cwd or an additional directory, and these themselves", async () => {
    const inside = [
      sandbox.project,
      sandbox.library,
      sandbox.file("project/a/b.txt"),
      sandbox.file("library/c.txt"),
    ];
    for (const file of inside) expect(await roots.resolve(file)).toBe(file);
  });

  it("admit what does not exist yet, with folders that do not either", async () => {
    const fresh = path.join(sandbox.project, "new", "folder", "file.txt");
    expect(await roots.resolve(fresh)).toBe(fresh);
  });

  it("admit no relative path", async () => {
    for (const file of ["a.txt", "./a.txt", "", "~/a.txt"])
      expect(await refused(file)).toContain("must be absolute");
  });

  it("admit nothing outside, however the way there is written", async () => {
    const ways = [
      sandbox.outside,
      sandbox.home,
      "/",
      "/etc/passwd",
      path.join(sandbox.outside, "new.txt"),
      `${sandbox.project}/../outside/new.txt`,
      `${sandbox.project}/new/../../outside`,
      `${sandbox.project}x`,
      `${sandbox.project}/..`,
    ];
    for (const file of ways) expect(await refused(file)).toContain("leads outside the session's folders");
  });

  it("follow links that stay inside to where they lead", async () => {
    const file = sandbox.file("library/real.txt");
    const link = sandbox.link("project/link.txt", file);
    const folder = sandbox.link("project/lib", sandbox.library);
    expect(await roots.resolve(link)).toBe(file);
    expect(await roots.resolve(path.join(folder, "real.txt"))).toBe(file);
    expect(await roots.resolve(path.join(folder, "new.txt"))).toBe(path.join(sandbox.library, "new.txt"));
  });

  it("admit no link that leads out, to a file, a folder, or what is not there yet", async () => {
    const secret = sandbox.file("outside/secret.txt");
    const file = sandbox.link("project/file", secret);
    const folder = sandbox.link("project/folder", sandbox.outside);
    const twice = sandbox.link("project/twice", folder);
    for (const way of [file, folder, path.join(folder, "secret.txt"), path.join(twice, "new", "file.txt")]) {
      expect(await refused(way)).toContain("leads outside");
    }
  });

  it("say where a link was named, not where it leads", async () => {
    const link = sandbox.link("project/link", sandbox.file("outside/secret.txt"));
    expect(await refused(link)).not.toContain("secret.txt");
  });

  it("admit no link that leads nowhere: what it names would be made there", async () => {
    const dangling = sandbox.link("project/dangling", path.join(sandbox.outside, "new.txt"));
    const loop = sandbox.link("project/loop", path.join(sandbox.project, "loop"));
    for (const link of [dangling, loop, path.join(dangling, "x")]) {
      expect(await refused(link)).toContain("a link that leads nowhere");
    }
  });

  it("are taken by their canonical names when they are links themselves", async () => {
    const link = sandbox.link("alias", sandbox.project);
    const aliased = new Roots(link, [], []);
    expect(aliased.cwd).toBe(sandbox.project);
    expect(await aliased.resolve(path.join(link, "a.txt"))).toBe(path.join(sandbox.project, "a.txt"));
  });

  it("admit nothing by a root that was replaced with a link to elsewhere", async () => {
    fs.rmdirSync(sandbox.project);
    sandbox.link("project", sandbox.outside);
    expect(await refused(path.join(sandbox.project, "a.txt"))).toContain("leads outside");
  });

  it("may be the whole machine, but for the kernel's view of the hall itself", async () => {
    const everything = new Roots("/", [], []);
    expect(await everything.resolve("/etc")).toBe("/etc");
    if (process.platform !== "linux") return;
    for (const file of ["/proc/self/environ", "/proc/1/mem", "/dev/fd/0", "/proc"]) {
      expect(await refused(file, everything)).toMatch(/hall itself|names no|leads nowhere|zero byte/);
    }
  });

  describe("never admit the hall's own", () => {
    let own: Roots;
    beforeEach(() => {
      const state = sandbox.folder("project", ".hall");
      own = rootsWithout(state, sandbox.file("project/hall.yml"), path.join(sandbox.project, "tokens.yml"));
    });

    it("state, roster and tokens, there or not yet", async () => {
      for (const name of [".hall", ".hall/id", ".hall/sessions/new.jsonl", "hall.yml", "tokens.yml"]) {
        expect(await refused(path.join(sandbox.project, name), own)).toContain("belongs to the hall itself");
      }
    });

    it("by a link", async () => {
      const links = [
        sandbox.link("project/state", path.join(sandbox.project, ".hall")),
        sandbox.link("library/roster", path.join(sandbox.project, "hall.yml")),
      ];
      for (const link of links) expect(await refused(link, own)).toContain("belongs to the hall itself");
      expect(await refused(path.join(links[0] ?? "", "id"), own)).toContain("belongs to the hall itself");
    });

    it("where it is a link, by its name and by what it leads to, also after it was led elsewhere", async () => {
      const first = sandbox.file("library/v1.yml");
      const second = sandbox.file("library/v2.yml");
      const roster = sandbox.link("project/linked.yml", first);
      const linked = rootsWithout(roster);
      for (const file of [roster, first]) expect(await refused(file, linked)).toContain("hall itself");
      fs.rmSync(roster);
      sandbox.link("project/linked.yml", second);
      for (const file of [roster, second]) expect(await refused(file, linked)).toContain("hall itself");
    });

    it("but for what is merely called like it", async () => {
      for (const name of [".hall2", "hall.yml.bak", "sub/hall.yml"]) {
        const file = sandbox.file(`project/${name}`);
        expect(await own.resolve(file)).toBe(file);
      }
    });
  });

  it("answer only paths that are inside, of whatever names, dots and links a path is made", async () => {
    sandbox.link("project/out", sandbox.outside);
    sandbox.link("project/in", sandbox.library);
    sandbox.folder("project", "sub");
    const name = fc.constantFrom("..", ".", "sub", "in", "out", "new", "project", "library", "outside", "");
    await fc.assert(
      fc.asyncProperty(fc.array(name, { maxLength: 8 }), async (names) => {
        const file = [sandbox.project, ...names].join("/");
        const place = await roots.resolve(file).catch(() => sandbox.project);
        const isInside = [sandbox.project, sandbox.library].some((root) =>
          `${place}/`.startsWith(`${root}/`),
        );
        expect(isInside).toBe(true);
      }),
    );
  });
});

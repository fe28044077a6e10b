import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createIn, inFolder, openFile, openFolder } from "../../src/workspace/file-handle.ts";
import { Roots } from "../../src/workspace/roots.ts";
import { Sandbox } from "./sandbox.ts";

describe("a file", () => {
  let sandbox: Sandbox;
  beforeEach(() => {
    sandbox = new Sandbox();
  });
  afterEach(() => sandbox.remove());

  it("is not opened when a link that leads out took a place on its path after that was resolved", async () => {
    const roots = new Roots(sandbox.project, [], []);
    const place = await roots.resolve(sandbox.file("project/folder/a.txt", "harmless"));
    const secret = sandbox.file("outside/a.txt", "secret");
    fs.rmSync(path.dirname(place), { recursive: true });
    fs.symlinkSync(sandbox.outside, path.dirname(place));
    for (const access of ["read", "write"] as const) {
      await expect(openFile(roots, place, place, access)).rejects.toThrow("leads outside");
    }
    fs.rmSync(path.dirname(place));
    fs.mkdirSync(path.dirname(place));
    fs.symlinkSync(secret, place);
    for (const access of ["read", "write"] as const) {
      await expect(openFile(roots, place, place, access)).rejects.toThrow("names no regular file");
    }
    expect(fs.readFileSync(secret, "utf8")).toBe("secret");
  });
});

describe.runIf(process.platform === "linux")("a folder held open", () => {
  let sandbox: Sandbox;
  beforeEach(() => {
    sandbox = new Sandbox();
  });
  afterEach(() => sandbox.remove());

  it("stays the folder that was checked, when a link that leads out takes its name", async () => {
    const place = sandbox.folder("project", "folder");
    const folder = await openFolder(new Roots(sandbox.project, [], []), place, place);
    fs.renameSync(place, path.join(sandbox.project, "moved"));
    fs.symlinkSync(sandbox.outside, place);
    const file = await createIn(folder, place, "a.txt");
    await file.close();
    fs.mkdirSync(inFolder(folder, place, "sub"));
    await folder.close();
    expect(fs.readdirSync(path.join(sandbox.project, "moved"))).toEqual(["a.txt", "sub"]);
    expect(fs.readdirSync(sandbox.outside)).toEqual([]);
  });

  it("is not opened by a path with a link in it that leads out, nor by a link", async () => {
    const roots = new Roots(sandbox.project, [], []);
    sandbox.folder("outside", "sub");
    const link = sandbox.link("project/link", sandbox.outside);
    await expect(openFolder(roots, path.join(link, "sub"), "sub")).rejects.toThrow("leads outside");
    await expect(openFolder(roots, link, "link")).rejects.toThrow("ENOTDIR");
  });
});

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isOwnFolder, makeOwnFolder } from "../../src/ground/own-folder.ts";

const isRoot = process.geteuid?.() === 0;
const modeOf = (file: string): number => fs.statSync(file).mode & 0o777;

describe("a folder of one's own", () => {
  let home: string;
  beforeEach(() => {
    home = fs.mkdtempSync(path.join(os.tmpdir(), "hall-own-"));
  });
  afterEach(() => fs.rmSync(home, { recursive: true }));

  it("is made with its parents, for nobody else to enter", () => {
    const folder = path.join(home, "a", "b");
    makeOwnFolder(folder);
    expect([modeOf(path.join(home, "a")), modeOf(folder)]).toEqual([0o700, 0o700]);
    expect(isOwnFolder(folder)).toBe(true);
  });

  it("is tightened when it was open to others", () => {
    const folder = path.join(home, "wide");
    fs.mkdirSync(folder);
    fs.chmodSync(folder, 0o755);
    expect(isOwnFolder(folder)).toBe(false);
    makeOwnFolder(folder);
    expect(modeOf(folder)).toBe(0o700);
  });

  it("is never a link to a folder, whose mode would be changed elsewhere", () => {
    const elsewhere = path.join(home, "elsewhere");
    fs.mkdirSync(elsewhere);
    fs.chmodSync(elsewhere, 0o755);
    const link = path.join(home, "link");
    fs.symlinkSync(elsewhere, link);
    expect(() => makeOwnFolder(link)).toThrow("cannot be used");
    expect(isOwnFolder(link)).toBe(false);
    expect(modeOf(elsewhere)).toBe(0o755);
  });

  it("is never a file", () => {
    const file = path.join(home, "file");
    fs.writeFileSync(file, "");
    expect(() => makeOwnFolder(file)).toThrow("cannot be used (EEXIST)");
    expect(() => makeOwnFolder(path.join(file, "under"))).toThrow("cannot be used (ENOTDIR)");
    expect([isOwnFolder(file), isOwnFolder(path.join(file, "under"))]).toEqual([false, false]);
  });

  it.runIf(isRoot)("is never another user's, not even for root", () => {
    const folder = path.join(home, "theirs");
    fs.mkdirSync(folder, { mode: 0o700 });
    fs.chownSync(folder, 65_534, 65_534);
    expect(() => makeOwnFolder(folder)).toThrow("belongs to another user (uid 65534)");
    expect(isOwnFolder(folder)).toBe(false);
  });
});

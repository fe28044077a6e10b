import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeOwnFolder } from "../../src/ground/own-folder.ts";
import { socketPath } from "../../src/ground/socket-path.ts";

const deep = `/${"deep/".repeat(30)}state`;
const runtime = { XDG_RUNTIME_DIR: "/run/user/1000" };

describe("a socket's path", () => {
  it("is in the folder when it fits, up to 100 bytes", () => {
    const name = "hall.sock";
    const fits = `/${"x".repeat(100 - name.length - 2)}`;
    expect(socketPath(fits, name, runtime)).toBe(`${fits}/${name}`);
    expect(socketPath(`${fits}x`, name, runtime)).toMatch(
      /^\/run\/user\/1000\/hall-[0-9a-f]{16}\/hall\.sock$/,
    );
  });

  it("is counted in bytes", () => {
    expect(socketPath(`/${"ä".repeat(46)}`, "hall.sock", {})).toMatch(/^\/tmp\//);
  });

  it("goes to /tmp when there is no runtime folder, or a useless one", () => {
    const expected = new RegExp(`^/tmp/hall-${process.geteuid?.()}-[0-9a-f]{16}/hall\\.sock$`);
    expect(socketPath(deep, "hall.sock", {})).toMatch(expected);
    expect(socketPath(deep, "hall.sock", { XDG_RUNTIME_DIR: "relative" })).toMatch(expected);
    expect(socketPath(deep, "hall.sock", { XDG_RUNTIME_DIR: deep })).toMatch(expected);
  });

  it("is the same each time, and another one for another folder", () => {
    expect(socketPath(deep, "a.sock", runtime)).toBe(socketPath(deep, "a.sock", runtime));
    expect(socketPath(deep, "a.sock", runtime)).not.toBe(socketPath(`${deep}2`, "a.sock", runtime));
  });

  it("never passes 100 bytes, however long the folder", () => {
    const folders = fc
      .array(fc.string({ minLength: 1, unit: "grapheme" }))
      .map((names) => `/${names.join("/")}`);
    fc.assert(
      fc.property(folders, (folder) => Buffer.byteLength(socketPath(folder, "hall.sock", runtime)) <= 100),
    );
  });

  it("refuses a name that fits nowhere", () => {
    expect(() => socketPath("/state", "n".repeat(100), {})).toThrow("too long");
  });

  it("can be bound where the plain path would be cut", async () => {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), "hall-socket-"));
    const socket = socketPath(path.join(home, "d".repeat(120)), "hall.sock", { XDG_RUNTIME_DIR: home });
    makeOwnFolder(path.dirname(socket));
    const server = net.createServer();
    await new Promise<void>((resolve) => {
      server.listen(socket, resolve);
    });
    expect(fs.statSync(socket).isSocket()).toBe(true);
    await new Promise((resolve) => {
      server.close(resolve);
    });
    fs.rmSync(home, { recursive: true });
  });
});

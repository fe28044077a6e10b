import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Origin } from "../../src/hall/origin.ts";
import { UnixListener } from "../../src/server/unix-listener.ts";
import { Shares } from "../../src/wire/shares.ts";
import { converse } from "./connections.ts";

describe("the UNIX socket", () => {
  let home: string;
  let file: string;
  let listeners: UnixListener[];
  let origins: Origin[];
  beforeEach(() => {
    home = fs.mkdtempSync(path.join(os.tmpdir(), "hall-unix-"));
    file = path.join(home, "state", "hall.sock");
    listeners = [];
    origins = [];
  });
  afterEach(() => {
    for (const listener of listeners) listener.close();
    fs.rmSync(home, { recursive: true });
  });

  /** A hall that says its first bytes back to each guest. */
  const open = async (): Promise<UnixListener> => {
    const listener = await UnixListener.open({
      path: file,
      shares: new Shares(),
      accept(transport, origin) {
        origins.push(origin);
        transport.start({
          chunk(bytes) {
            transport.write(bytes);
            transport.end();
          },
          ended: () => {},
          closed: () => {},
        });
      },
      report: (error) => {
        throw error;
      },
    });
    listeners.push(listener);
    return listener;
  };

  it("is for this user alone, in a folder that is too", async () => {
    await open();
    const modes = [path.dirname(file), file].map((entry) => fs.statSync(entry).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600]);
  });

  it("trusts whoever comes in by it, on this machine as it must be", async () => {
    await open();
    expect(await converse({ path: file }, "hello\n")).toBe("hello\n");
    expect(origins).toEqual([{ via: "unix", local: true, trusted: true, address: file }]);
  });

  it("still answers a client that ended its direction", async () => {
    await open();
    const socket = net.connect({ path: file, allowHalfOpen: true });
    socket.end("hello\n");
    const [bytes] = (await once(socket, "data")) as [Buffer];
    expect(bytes.toString()).toBe("hello\n");
    socket.destroy();
  });

  it("is gone as soon as the listener is closed", async () => {
    const listener = await open();
    listener.close();
    expect(fs.existsSync(file)).toBe(false);
  });

  it("takes the place of a dead hall's", async () => {
    fs.mkdirSync(path.dirname(file), { mode: 0o700 });
    const program = `require("node:net").createServer().listen(${JSON.stringify(file)}, () => console.log("up"))`;
    const dead = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
    await once(dead.stdout, "data");
    dead.kill("SIGKILL");
    await once(dead, "exit");
    expect(fs.existsSync(file)).toBe(true);
    await open();
    expect(await converse({ path: file }, "hello\n")).toBe("hello\n");
  });

  it("leaves a living one alone", async () => {
    await open();
    await expect(open()).rejects.toThrow(`Cannot listen on ${file}: another program answers there.`);
    expect(await converse({ path: file }, "hello\n")).toBe("hello\n");
  });

  it("leaves alone what is no socket, or leads to one elsewhere", async () => {
    fs.mkdirSync(path.dirname(file), { mode: 0o700 });
    fs.writeFileSync(file, "notes");
    await expect(open()).rejects.toThrow("something that is no socket is there");
    expect(fs.readFileSync(file, "utf8")).toBe("notes");
    fs.rmSync(file);
    fs.symlinkSync(path.join(home, "elsewhere.sock"), file);
    await expect(open()).rejects.toThrow("something that is no socket is there");
    expect(fs.lstatSync(file).isSymbolicLink()).toBe(true);
  });

  it.runIf(process.geteuid?.() === 0)("keeps a real other user out", async () => {
    fs.chmodSync(home, 0o755);
    await open();
    const program = `
      process.setgroups([]); process.setgid(65534); process.setuid(65534);
      require("node:net").connect(${JSON.stringify(file)}).on("error", (error) => console.log(error.code));`;
    for (const mode of [0o700, 0o711]) {
      fs.chmodSync(path.dirname(file), mode);
      const { stdout } = spawnSync(process.execPath, ["-e", program], { encoding: "utf8" });
      expect(stdout).toBe("EACCES\n");
    }
    expect(origins).toEqual([]);
  });
});

import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import net from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/ground/clock.ts";
import type { Origin } from "../../src/hall/origin.ts";
import { isSameUser } from "../../src/server/same-user.ts";
import { TcpListener, type TcpListenerOptions } from "../../src/server/tcp-listener.ts";
import { Shares } from "../../src/wire/shares.ts";
import { converse, Ear, place } from "./connections.ts";

const isRoot = process.geteuid?.() === 0;
const isLinux = process.platform === "linux";
const LINE = '{"jsonrpc":"2.0","id":1,"method":"initialize"}\n';

interface Guest {
  origin: Origin;
  ear: Ear;
}

describe("the TCP port", () => {
  const listeners: TcpListener[] = [];
  const guests: Guest[] = [];
  afterEach(() => {
    for (const listener of listeners.splice(0)) listener.close();
    guests.length = 0;
  });

  /** A hall that answers the first bytes of each guest with `welcome`, and ends. */
  const open = async (options: Partial<TcpListenerOptions> = {}): Promise<TcpListener> => {
    const listener = await TcpListener.open({
      host: "127.0.0.1",
      port: 0,
      clock: systemClock,
      shares: new Shares(),
      trustLoopback: () => false,
      tokens: () => false,
      accept(transport, origin) {
        const ear = new Ear();
        transport.start({
          chunk(bytes) {
            ear.chunk(bytes);
            transport.write(Buffer.from("welcome\n"));
            transport.end();
          },
          ended: () => ear.ended(),
          closed: () => ear.closed(),
        });
        guests.push({ origin, ear });
      },
      report: (error) => {
        throw error;
      },
      ...options,
    });
    listeners.push(listener);
    return listener;
  };
  const visit = (listener: TcpListener): Promise<string> => converse(place(listener.address), LINE);

  it.runIf(isLinux).each([
    ["127.0.0.1", /^127\.0\.0\.1:\d+$/],
    ["::1", /^\[::1\]:\d+$/],
    ["localhost", /^(127\.0\.0\.1|\[::1\]):\d+$/],
  ])("on %s lets its own user in, with all that it says", async (host, address) => {
    const listener = await open({ host });
    expect(listener.address).toMatch(address);
    expect(await visit(listener)).toBe("welcome\n");
    expect(guests[0]?.ear.text).toBe(LINE);
    expect(guests[0]?.origin).toMatchObject({ via: "tcp", local: true, trusted: true });
    expect(guests[0]?.origin.address).toMatch(address);
  });

  it("sends away who is not proven to be its own user, in one line, and tells nobody", async () => {
    const listener = await open({ isSameUser: () => false });
    const line = await visit(listener);
    expect(line.endsWith("\n")).toBe(true);
    expect(JSON.parse(line)).toMatchObject({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32000, data: { kind: "not_authorized" } },
    });
    expect(line).toContain("trust_loopback: true");
    expect(guests).toEqual([]);
  });

  it("asks before a byte was read, with the connection's ends", async () => {
    let asked: { bytesRead: number; remotePort: number | undefined } | undefined;
    const listener = await open({
      isSameUser(ends) {
        if (!(ends instanceof net.Socket)) throw new Error("asked with something else");
        asked = { bytesRead: ends.bytesRead, remotePort: ends.remotePort };
        return true;
      },
    });
    const socket = net.connect(place(listener.address));
    socket.write(LINE);
    await once(socket, "data");
    expect(asked).toEqual({ bytesRead: 0, remotePort: socket.localPort });
    socket.destroy();
  });

  it("lets every local user in when the roster trusts loopback", async () => {
    const listener = await open({ isSameUser: () => false, trustLoopback: () => true });
    expect(await visit(listener)).toBe("welcome\n");
    expect(guests[0]?.origin).toMatchObject({ local: true, trusted: true });
  });

  it("lets strangers as far as their token, marked as such, once there are tokens", async () => {
    const listener = await open({ isSameUser: () => false, tokens: () => true });
    expect(await visit(listener)).toBe("welcome\n");
    expect(guests[0]?.origin).toMatchObject({ local: true, trusted: false });
  });

  it("tells HTTP clients that this is another port", async () => {
    const listener = await open({ isSameUser: () => true });
    const answer = await converse(place(listener.address), "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(JSON.parse(answer)).toMatchObject({ id: null, error: { code: -32600 } });
    expect(guests[0]?.ear.text).toBe("");
  });

  it("reads a client that ended its direction to the end, and still answers it", async () => {
    const listener = await open({ isSameUser: () => true });
    const socket = net.connect({ ...place(listener.address), allowHalfOpen: true });
    socket.end(LINE);
    const [bytes] = (await once(socket, "data")) as [Buffer];
    expect(bytes.toString()).toBe("welcome\n");
    await guests[0]?.ear.closes;
    expect(guests[0]?.ear).toMatchObject({ text: LINE, isEnded: true });
  });

  it("keeps who is in when it lets nobody in any more", async () => {
    const listener = await open({ isSameUser: () => true });
    const socket = net.connect(place(listener.address));
    await expect.poll(() => guests.length, { timeout: 20_000 }).toBe(1);
    const at = place(listener.address);
    listener.close();
    await expect(converse(at, LINE)).rejects.toThrow("ECONNREFUSED");
    socket.write(LINE);
    const [bytes] = (await once(socket, "data")) as [Buffer];
    expect(bytes.toString()).toBe("welcome\n");
    socket.destroy();
    expect(listener.address).toBe("closed");
  });

  it("says in a sentence why it cannot listen", async () => {
    const { port } = place((await open()).address);
    await expect(open({ port })).rejects.toThrow(
      `Cannot listen on 127.0.0.1:${port}: another program does already. Stop that one, or choose another port`,
    );
    await expect(open({ host: "192.0.2.1" })).rejects.toThrow("this machine has no such address");
    await expect(open({ port: 70_000 })).rejects.toThrow(/^Cannot listen on 127\.0\.0\.1:70000: .*[^.]\.$/);
  });

  if (!isRoot || !isLinux) {
    console.warn("Not root on Linux: that a real other user is kept out is not tested here.");
  }
  describe.runIf(isRoot && isLinux)("with a real other user at it", () => {
    const program = path.join(import.meta.dirname, "stranger.mjs");
    const stranger = (at: string, uid: number, how: string, count: number): string[] => {
      const { host, port } = place(at);
      return [program, String(uid), host, String(port), how, String(count)];
    };
    const toldTo = async (words: string[]): Promise<string[]> => {
      const { stdout } = await promisify(execFile)(process.execPath, words);
      return JSON.parse(stdout) as string[];
    };

    it.each(["127.0.0.1", "::1"])("tells it on %s that it may not come in", async (host) => {
      const listener = await open({ host });
      const told = await toldTo(stranger(listener.address, 65_534, "stay", 3));
      expect(told.map((line) => JSON.parse(line).error.data.kind)).toEqual(Array(3).fill("not_authorized"));
      expect(guests).toEqual([]);
    });

    it.each(["127.0.0.1", "::1"])(
      "never lets it in on %s, in 60 connections that it closes at once, although we are root",
      async (host) => {
        const listener = await open({ host });
        await toldTo(stranger(listener.address, 65_534, "abrupt", 30));
        // And when all of them are over before the first is looked at: this process stands still meanwhile.
        const words = stranger(listener.address, 65_534, "abrupt", 30);
        expect(spawnSync(process.execPath, words).status).toBe(0);
        expect(await visit(listener)).toBe("welcome\n");
        expect(guests).toHaveLength(1);
      },
    );

    it("never lets it in when it ends its direction at once", async () => {
      const listener = await open();
      const told = await toldTo(stranger(listener.address, 65_534, "half", 40));
      expect(guests).toEqual([]);
      expect(told.filter((line) => line !== "").every((line) => line.includes("not_authorized"))).toBe(true);
    });

    it("lets it in where it is the hall's own user", async () => {
      const listener = await open({ isSameUser: (ends) => isSameUser(ends, { uid: 4242 }) });
      expect(await toldTo(stranger(listener.address, 4242, "stay", 3))).toEqual(Array(3).fill("welcome\n"));
      // Root is another user than this hall's, however much it may do.
      expect(await visit(listener)).toContain("not_authorized");
    });

    it("lets it in when the roster trusts loopback", async () => {
      const listener = await open({ trustLoopback: () => true });
      expect(await toldTo(stranger(listener.address, 65_534, "stay", 1))).toEqual(["welcome\n"]);
    });
  });
});

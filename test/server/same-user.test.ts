import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { endpoint, readConnectionRows } from "../../src/server/connection-rows.ts";
import { type Ends, isSameUser } from "../../src/server/same-user.ts";

const HEAD =
  "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode";
const UID = 1000;

/** Addresses as /proc shows them on a little-endian machine. */
const V4 = { client: "0100007F:D431", hall: "0100007F:1CFC" };
const V6 = { client: "00000000000000000000000001000000:D431", hall: "00000000000000000000000001000000:1CFC" };
const MAPPED = {
  client: "0000000000000000FFFF00000100007F:D431",
  hall: "0000000000000000FFFF00000100007F:1CFC",
};

const overV4: Ends = {
  remoteAddress: "127.0.0.1",
  remotePort: 0xd431,
  localAddress: "127.0.0.1",
  localPort: 0x1cfc,
};
const overV6: Ends = { ...overV4, remoteAddress: "::1", localAddress: "::1" };
const overMapped: Ends = { ...overV4, remoteAddress: "::ffff:127.0.0.1", localAddress: "::ffff:127.0.0.1" };

const row = (from: string, to: string, state = "01", uid = UID, inode = 4711): string =>
  `   1: ${from} ${to} ${state} 00000000:00000000 00:00000000 00000000  ${uid}        0 ${inode} 2 000000008 20 4`;

describe.runIf(os.endianness() === "LE")("the same-user check, by the kernel's list", () => {
  let proc: string;
  beforeEach(() => {
    proc = fs.mkdtempSync(path.join(os.tmpdir(), "hall-proc-"));
    fs.mkdirSync(path.join(proc, "net"));
  });
  afterEach(() => fs.rmSync(proc, { recursive: true }));

  const lists = (tcp: string[], tcp6: string[] = []): void => {
    fs.writeFileSync(path.join(proc, "net", "tcp"), [HEAD, ...tcp, ""].join("\n"));
    fs.writeFileSync(path.join(proc, "net", "tcp6"), [HEAD, ...tcp6, ""].join("\n"));
  };
  const check = (ends: Ends, uid: number | undefined = UID): boolean => isSameUser(ends, { proc, uid });
  const other = row("00000000:07E8", "00000000:0000", "0A", 0, 1603);
  const oursEnd = row(V4.hall, V4.client);

  it("holds for the client's established end, of our uid", () => {
    lists([other, oursEnd, row(V4.client, V4.hall)]);
    expect(check(overV4)).toBe(true);
  });

  it("holds over IPv6", () => {
    lists([other], [row(V6.client, V6.hall)]);
    expect(check(overV6)).toBe(true);
  });

  it("holds for IPv4 mapped into IPv6, whichever side sees it so", () => {
    lists([], [row(MAPPED.client, MAPPED.hall)]);
    expect([check(overV4), check(overMapped)]).toEqual([true, true]);
    lists([row(V4.client, V4.hall)]);
    expect([check(overV4), check(overMapped)]).toEqual([true, true]);
  });

  it("fails for another uid, root's too", () => {
    lists([row(V4.client, V4.hall, "01", 1001)]);
    expect(check(overV4)).toBe(false);
    lists([row(V4.client, V4.hall, "01", 0)]);
    expect(check(overV4)).toBe(false);
    expect(check(overV4, 0)).toBe(true);
  });

  it("fails for a closed socket, which is listed as root's, also when we are root", () => {
    for (const state of ["02", "03", "04", "05", "06", "07", "08", "09", "0A", "0B", "0C"]) {
      lists([row(V4.client, V4.hall, state, 0, 0)]);
      expect([state, check(overV4, 0)]).toEqual([state, false]);
      lists([row(V4.client, V4.hall, state, 0, 4711)]);
      expect([state, check(overV4, 0)]).toEqual([state, false]);
    }
    lists([row(V4.client, V4.hall, "01", 0, 0)]);
    expect(check(overV4, 0)).toBe(false);
  });

  it("fails when the row is there twice, or not at all", () => {
    lists([row(V4.client, V4.hall), row(V4.client, V4.hall)]);
    expect(check(overV4)).toBe(false);
    lists([row(V4.client, V4.hall)], [row(MAPPED.client, MAPPED.hall, "06", 0, 0)]);
    expect(check(overV4)).toBe(false);
    lists([other]);
    expect(check(overV4)).toBe(false);
  });

  it("looks again when the list, which the kernel gives piece by piece, lacks the row", () => {
    lists([row(V4.client, V4.hall)]);
    let looks = 0;
    const read = (place: string) => (++looks === 1 ? [] : readConnectionRows(place));
    expect(isSameUser(overV4, { proc, uid: UID, read })).toBe(true);
    expect(isSameUser(overV4, { proc, uid: UID, read: () => [] })).toBe(false);
  });

  it("fails on our own end's row, and on a client of another port or address", () => {
    const elsewhere = row("0200007F:D431", V4.hall);
    const otherPort = row("0100007F:D432", V4.hall);
    const otherHall = row(V4.client, "0100007F:1CFD");
    for (const only of [oursEnd, elsewhere, otherPort, otherHall]) {
      lists([only]);
      expect(check(overV4)).toBe(false);
    }
  });

  it("fails where the list is missing, cut, or cannot be read", () => {
    expect(check(overV4)).toBe(false);
    lists([row(V4.client, V4.hall).slice(0, 60)]);
    expect(check(overV4)).toBe(false);
    fs.rmSync(path.join(proc, "net", "tcp"));
    fs.mkdirSync(path.join(proc, "net", "tcp"));
    expect(check(overV4)).toBe(false);
  });

  it("fails for the uid that stands for every user a namespace does not know", () => {
    fs.mkdirSync(path.join(proc, "sys", "kernel"), { recursive: true });
    lists([row(V4.client, V4.hall, "01", 65_534)]);
    expect(check(overV4, 65_534)).toBe(false);
    fs.writeFileSync(path.join(proc, "sys", "kernel", "overflowuid"), "4242\n");
    expect(check(overV4, 65_534)).toBe(true);
  });

  it("fails for a connection that is over, whose ends nobody knows", () => {
    lists([row(V4.client, V4.hall)]);
    expect(check({})).toBe(false);
    expect(check({ ...overV4, remoteAddress: "no address" })).toBe(false);
  });
});

describe.runIf(process.platform === "linux")("the same-user check, by this machine's list", () => {
  it.each([
    ["IPv4", "127.0.0.1", "127.0.0.1"],
    ["IPv6", "::1", "::1"],
    ["IPv4 to a listener of both", "::", "127.0.0.1"],
    ["IPv4 mapped into IPv6", "127.0.0.1", "::ffff:127.0.0.1"],
  ])("knows its own user over %s", async (_name, listen, connect) => {
    const server = net.createServer({ pauseOnConnect: true });
    await new Promise<void>((resolve) => {
      server.listen(0, listen, resolve);
    });
    const bound = server.address();
    if (bound === null || typeof bound === "string") throw new Error("no port");
    const client = net.connect(bound.port, connect);
    const answers = await new Promise((resolve) => {
      server.on("connection", (socket) => {
        resolve([isSameUser(socket), isSameUser(socket, { uid: 4242 })]);
        socket.destroy();
      });
    });
    expect(answers).toEqual([true, false]);
    client.destroy();
    server.close();
  });
});

describe("an endpoint", () => {
  it("is the same in whatever way its address is written", () => {
    const ways = ["127.0.0.1", "::ffff:127.0.0.1", "::FFFF:7f00:1", "0:0:0:0:0:ffff:127.0.0.1"];
    expect(new Set(ways.map((way) => endpoint(way, 1)?.address)).size).toBe(1);
    expect(endpoint("::1", 1)?.address).toBe(`${"0".repeat(31)}1`);
    expect(endpoint("::", 1)?.address).toBe("0".repeat(32));
    expect(endpoint("fe80::1:2%lo", 1)?.address).toBe("fe800000000000000000000000010002");
    expect(endpoint("2001:db8:1:2:3:4:5:6", 1)?.address).toBe("20010db8000100020003000400050006");
    expect(endpoint("1::", 1)?.address).toBe(`0001${"0".repeat(28)}`);
  });
});

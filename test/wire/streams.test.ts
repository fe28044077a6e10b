import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough, Writable } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { Shares } from "../../src/wire/shares.ts";
import { StreamTransport } from "../../src/wire/streams.ts";
import type { Transport } from "../../src/wire/transport.ts";
import { Listener, overSocket, tcpPair } from "./listener.ts";

const text = (words: string): Buffer => Buffer.from(words);
const eventually = (look: () => unknown) => expect.poll(look, { timeout: 15_000, interval: 5 });

/** More than the kernel takes of a connection that nobody reads. */
const FLOOD = Buffer.alloc(64 * 1024 * 1024);

const rung = (transport: Transport): Promise<void> => new Promise((resolve) => transport.onDrain(resolve));

/** A program's pipes. */
function program(script: string): { transport: Transport; exited: Promise<unknown> } {
  const child = spawn(process.execPath, ["-e", script], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  return { transport: new StreamTransport(child.stdout, child.stdin), exited };
}

describe("over a socket", () => {
  it("bytes arrive as they were written, both ways, also when they were written before anyone read", async () => {
    const [a, b] = await tcpPair();
    const [near, far] = [overSocket(a), overSocket(b)];
    near.write(text("to far"));
    far.write(text("to near"));
    const [atNear, atFar] = [new Listener(near), new Listener(far)];
    near.end();
    far.end();
    await Promise.all([atNear.closed, atFar.closed]);
    expect([atNear.text, atFar.text]).toEqual(["to near", "to far"]);
    expect([...atNear.heard, ...atFar.heard]).toEqual(["ended", "closed", "ended", "closed"]);
  });

  it("one direction may end while the other goes on", async () => {
    const [a, b] = await tcpPair();
    const [near, far] = [new Listener(overSocket(a)), new Listener(overSocket(b))];
    far.transport.write(text("the last"));
    far.transport.end();
    await near.ended;
    expect(near).toMatchObject({ text: "the last", heard: ["ended"] });
    near.transport.write(text("an answer"));
    await eventually(() => far.text).toBe("an answer");
    expect(far.heard).toEqual([]);
    near.transport.end();
    await Promise.all([near.closed, far.closed]);
    expect(near).toMatchObject({ heard: ["ended", "closed"], errors: [undefined] });
  });

  it("destroying drops everything, and both sides hear once that it is closed", async () => {
    const [a, b] = await tcpPair();
    const [near, far] = [new Listener(overSocket(a)), new Listener(overSocket(b))];
    near.transport.destroy();
    near.transport.destroy();
    far.transport.write(text("into the void"));
    await near.closed;
    await eventually(() => far.heard.length).toBeGreaterThan(0);
    far.transport.end();
    await far.closed;
    expect(near.heard).toEqual(["closed"]);
    expect(far.heard.filter((what) => what === "closed")).toEqual(["closed"]);
  });

  it("a reset is told as the error of the close", async () => {
    const [a, b] = await tcpPair();
    const near = new Listener(overSocket(a));
    b.resetAndDestroy();
    await near.closed;
    expect(near.errors).toMatchObject([{ code: "ECONNRESET" }]);
  });

  it("a connection that broke before it was started is closed, and ends no process", async () => {
    const [a, b] = await tcpPair();
    const near = overSocket(a);
    a.resume();
    b.resetAndDestroy();
    await new Promise((resolve) => a.once("close", resolve));
    const late = new Listener(near);
    expect(late.heard).toEqual([]);
    await late.closed;
    expect(late.errors).toMatchObject([{ code: "ECONNRESET" }]);
  });

  it("what is written behind the end, or to nobody, is dropped", async () => {
    const [a, b] = await tcpPair();
    const [near, far] = [new Listener(overSocket(a)), new Listener(overSocket(b))];
    near.transport.write(text("said"));
    near.transport.end();
    near.transport.write(text(" too late"));
    near.transport.end();
    await far.ended;
    far.transport.destroy();
    await near.closed;
    near.transport.write(text(" to nobody"));
    expect(far.text).toBe("said");
    expect(near.transport.backlog).toBe(0);
  });

  it("whoever stops reading lets the other's backlog grow, which rings when it is taken", async () => {
    const [a, b] = await tcpPair();
    const [near, far] = [new Listener(overSocket(a)), new Listener(overSocket(b))];
    far.transport.pause();
    near.transport.write(FLOOD);
    for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(near.transport.backlog).toBeGreaterThan(0);
    // Nothing piles up on the side that does not read: it is in the kernel, or still with us.
    expect(far.received + b.readableLength).toBeLessThan(1024 * 1024);
    let rings = 0;
    near.transport.onDrain(() => {
      rings += 1;
    });
    const drained = rung(near.transport);
    near.transport.write(text("!"));
    expect(rings).toBe(0);
    far.transport.resume();
    await drained;
    expect(rings).toBe(1);
    expect(near.transport.backlog).toBe(0);
    await eventually(() => far.received).toBe(FLOOD.length + 1);
  });

  it("rings at once where nothing waits, but never within the call", async () => {
    const [a] = await tcpPair();
    const near = overSocket(a);
    let rang = false;
    near.onDrain(() => {
      rang = true;
    });
    expect(rang).toBe(false);
    await Promise.resolve();
    expect(rang).toBe(true);
  });

  it("rings when it is closed, whatever still waited", async () => {
    const [a, b] = await tcpPair();
    const [near, far] = [new Listener(overSocket(a)), new Listener(overSocket(b))];
    far.transport.pause();
    near.transport.write(FLOOD);
    const drained = rung(near.transport);
    near.transport.destroy();
    await drained;
    await near.closed;
    await rung(near.transport);
    expect(near.transport.backlog).toBe(0);
  });

  it("rings behind its end only when it is closed: there is nothing more to write until then", async () => {
    const [a, b] = await tcpPair();
    const [near, far] = [new Listener(overSocket(a)), new Listener(overSocket(b))];
    far.transport.pause();
    near.transport.write(FLOOD);
    near.transport.end();
    let rings = 0;
    near.transport.onDrain(() => {
      rings += 1;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(rings).toBe(0);
    far.transport.resume();
    await far.ended;
    expect(far.received).toBe(FLOOD.length);
    expect(rings).toBe(0);
    far.transport.end();
    await near.closed;
    expect(rings).toBe(1);
  });
});

describe("over pipes", () => {
  it("bytes go to a program and come back, and its end is the end", async () => {
    const { transport } = program("process.stdin.pipe(process.stdout)");
    const echo = new Listener(transport);
    echo.transport.write(text("once"));
    await eventually(() => echo.text).toBe("once");
    echo.transport.write(text(" and again"));
    echo.transport.end();
    await echo.closed;
    expect(echo).toMatchObject({ text: "once and again", heard: ["ended", "closed"] });
  });

  it("a program that is gone takes nothing, and nothing breaks by it", async () => {
    const { transport, exited } = program("process.stdout.write('bye', () => process.exit())");
    const gone = new Listener(transport);
    await exited;
    for (let count = 0; count < 20; count += 1) transport.write(Buffer.alloc(64 * 1024));
    await gone.closed;
    transport.write(text("still"));
    await rung(transport);
    expect(gone).toMatchObject({ text: "bye", heard: ["ended", "closed"] });
    expect(transport.backlog).toBe(0);
  });

  it("a program that closed its stdin may still be read", async () => {
    const { transport } = program(
      "process.stdin.destroy(); setTimeout(() => process.stdout.write('still here'), 300)",
    );
    const deaf = new Listener(transport);
    const writing = setInterval(() => transport.write(text("x".repeat(1000))), 5);
    onTestFinished(() => clearInterval(writing));
    await deaf.closed;
    expect(deaf).toMatchObject({ text: "still here", heard: ["ended", "closed"] });
  });

  it("a program whose output is not read waits, and what it says is not kept by us", async () => {
    const { transport } = program(`
      let sent = 0;
      const piece = Buffer.alloc(65536, "x");
      const go = () => { while (sent < 512 && process.stdout.write(piece)) sent++; };
      process.stdout.on("drain", () => { sent++; if (sent < 512) go(); else process.exit(); });
      go();
    `);
    const flood = new Listener(transport);
    await eventually(() => flood.received).toBeGreaterThan(0);
    transport.pause();
    const before = flood.received;
    for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(flood.received - before).toBeLessThan(256 * 1024);
    transport.resume();
    await flood.closed;
    expect(flood.received).toBeGreaterThanOrEqual(512 * 65_536);
  });
});

describe("over whatever streams", () => {
  it("reads so much in one turn of the event loop, and leaves the rest of it to others", async () => {
    const piece = Buffer.alloc(64 * 1024);
    const input = new PassThrough({ highWaterMark: 64 * piece.length });
    for (let pieces = 0; pieces < 32; pieces += 1) input.write(piece);
    const reader = new Listener(new StreamTransport(input, new PassThrough()));
    const readInTurns: number[] = [];
    while (reader.received < 32 * piece.length) {
      const before = reader.received;
      await new Promise((resolve) => setImmediate(resolve));
      readInTurns.push(reader.received - before);
    }
    expect(Math.max(...readInTurns)).toBeLessThanOrEqual(2 * piece.length);
  });

  describe("beside somebody who sends a little", () => {
    const numbered = Buffer.from(Array.from({ length: 64 * 1024 }, (_, at) => at % 251));

    /** A flood's connection, of which a first small share was delivered. */
    async function flooded() {
      const shares = new Shares();
      const input = new PassThrough({ highWaterMark: 1024 * 1024 });
      const transport = new StreamTransport(input, new PassThrough(), shares);
      const pieces: Buffer[] = [];
      const heard: string[] = [];
      transport.start({
        chunk: (bytes) => void pieces.push(bytes),
        ended: () => void heard.push("ended"),
        closed: () => void heard.push("closed"),
      });
      shares.came({}, 100);
      input.write(numbered);
      while (pieces.length === 0) await Promise.resolve();
      return { input, transport, pieces, heard };
    }

    it("delivers a flood in small shares, one a turn, whole and in order, and then its end", async () => {
      const { input, pieces, heard } = await flooded();
      input.end();
      for (let turn = 1; turn < 4; turn += 1) {
        expect(pieces).toHaveLength(turn);
        expect(heard).toEqual([]);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await eventually(() => heard).toContain("ended");
      expect(pieces.map(({ length }) => length)).toEqual(Array(4).fill(16 * 1024));
      expect(Buffer.concat(pieces).equals(numbered)).toBe(true);
    });

    it("keeps the rest for an owner that stops reading, and delivers it when that reads on", async () => {
      const { transport, pieces } = await flooded();
      transport.pause();
      for (let turns = 0; turns < 5; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      expect(pieces).toHaveLength(1);
      transport.resume();
      await eventually(() => Buffer.concat(pieces).equals(numbered)).toBe(true);
    });

    it("drops the rest when it is destroyed", async () => {
      const { input, transport, pieces } = await flooded();
      transport.destroy();
      await new Promise((resolve) => input.once("close", resolve));
      for (let turns = 0; turns < 5; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      expect(pieces).toHaveLength(1);
    });
  });

  it("reads nothing for an owner that stopped it, whatever turn it is", async () => {
    const input = new PassThrough({ highWaterMark: 1024 * 1024 });
    const reader = new Listener(new StreamTransport(input, new PassThrough()));
    input.write(Buffer.alloc(64 * 1024));
    await eventually(() => reader.received).toBe(64 * 1024);
    reader.transport.pause();
    input.write(text("more"));
    for (let turns = 0; turns < 5; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(reader.received).toBe(64 * 1024);
    reader.transport.resume();
    await eventually(() => reader.received).toBe(64 * 1024 + 4);
  });

  it("rings for a backlog that Node never called full", async () => {
    const taken: (() => void)[] = [];
    const output = new Writable({
      highWaterMark: 1_000,
      write: (_bytes, _encoding, took) => {
        taken.push(took);
      },
    });
    const transport = new StreamTransport(new PassThrough(), output);
    transport.write(text("a little"));
    expect(transport.backlog).toBe(8);
    await rung(transport);
    transport.write(Buffer.alloc(2_000));
    let rang = false;
    const drained = rung(transport).then(() => {
      rang = true;
    });
    await Promise.resolve();
    expect(rang).toBe(false);
    taken.shift()?.();
    await eventually(() => taken.length).toBe(1);
    taken.shift()?.();
    await drained;
  });
});

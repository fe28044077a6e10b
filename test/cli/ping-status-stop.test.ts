import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { gate } from "../doubles/gate.ts";
import { startHall } from "../doubles/start-hall.ts";
import { FaultyDisk } from "../hall/faulty-disk.ts";
import { documentOf, Household } from "./household.ts";

const slots = { first: { ways: {}, title: "The first" }, second: { ways: {} } };

describe("hall ping", () => {
  it("tells what the hall is, and how long an answer takes", async () => {
    const hall = await startHall({ slots });
    const address = `tcp://${hall.service.addresses.tcp}`;
    const finished = await new Household().run(["ping", "--json", "--connect", address]);
    expect(documentOf(finished)).toEqual({
      address,
      name: "hall",
      version: "0.0.0-test",
      protocolVersion: 1,
      slots: [
        { name: "first", title: "The first" },
        { name: "second", title: "second" },
      ],
      roundTripMs: expect.any(Number),
    });
    expect(finished.code).toBe(0);
  });

  it("tells people the same", async () => {
    const hall = await startHall({ slots });
    const { stdout } = await new Household().run([
      "ping",
      "--connect",
      `unix:${hall.service.addresses.unix}`,
    ]);
    expect(stdout).toMatch(/^hall +0\.0\.0-test at unix:\//);
    expect(stdout).toMatch(/first {2}The first {2}\(default\)\n +second\n/);
  });

  it("ends with 3 when nobody is there", async () => {
    const { code, stderr } = await new Household().run(["ping", "--connect", "tcp://127.0.0.1:1"]);
    expect(code).toBe(3);
    expect(stderr).toBe(
      "hall: No hall answers at tcp://127.0.0.1:1 (ECONNREFUSED); hall serve starts one.\n",
    );
  });

  it("ends with 3 when the hall of a roster does not run", async () => {
    const home = new Household();
    const roster = home.roster({ demo: { demo: true } });
    const { code, stderr } = await home.run(["ping", "--config", roster]);
    expect(code).toBe(3);
    expect(stderr).toContain(`start it with hall serve --config ${roster}`);
  });

  it("ends with 1 when what is there is gone before it answers", async () => {
    const home = new Household();
    const socket = join(home.folder, "other.sock");
    const server = createServer((peer) => peer.once("data", () => peer.destroy()));
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    const { code, stderr } = await home.run(["ping", "--connect", `unix:${socket}`]);
    expect(code).toBe(1);
    expect(stderr).toBe("hall: The connection to the hall was lost before it answered.\n");
  });
});

describe("hall status", () => {
  it("tells what the hall is doing", async () => {
    const hall = await startHall({ slots });
    const client = await hall.connect();
    const sessionId = await client.begin();
    const point = gate();
    const turn = client.prompt(sessionId, [point.wait]);
    await point.reached();
    const home = new Household();
    home.env.HALL_CONNECT = `unix:${hall.service.addresses.unix}`;
    expect(documentOf(await home.run(["status", "--json"]))).toMatchObject({
      version: "0.0.0-test",
      pid: process.pid,
      clients: 2,
      sessions: 1,
      slots: [
        { name: "first", processes: expect.any(Number), turns: 1, waiting: 0 },
        { name: "second", processes: 0, turns: 0, waiting: 0 },
      ],
    });
    const { stdout } = await home.run(["status"]);
    expect(stdout).toMatch(/clients +1\n/);
    expect(stdout).toMatch(/first +\d +1 +0\n/);
    point.open();
    await turn;
  });

  it("says that the disk cannot be written, as long as it cannot", async () => {
    const disk = new FaultyDisk();
    const hall = await startHall({ slots, disk });
    const client = await hall.connect();
    const sessionId = await client.begin();
    const home = new Household();
    home.env.HALL_CONNECT = `unix:${hall.service.addresses.unix}`;
    disk.fails = () => true;
    await expect(client.prompt(sessionId, "hello")).rejects.toMatchObject({
      data: { kind: "journal_failed" },
    });
    expect((await home.run(["status"])).stdout).toMatch(/disk +CANNOT BE WRITTEN since .*: ENOSPC/);
    expect(documentOf(await home.run(["status", "--json"]))).toMatchObject({ disk: { writable: false } });
    disk.fails = () => false;
    expect(await client.prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
    expect(documentOf(await home.run(["status", "--json"]))).toMatchObject({ disk: { writable: true } });
    const said = hall.log.filter((line) => line.includes("the state folder"));
    expect(said).toEqual([
      expect.stringContaining("cannot be written"),
      expect.stringContaining("can be written again"),
    ]);
  });

  it("is for the hall's own user alone: by TCP it ends with 4", async () => {
    const hall = await startHall({ slots });
    const { code, stderr } = await new Household().run([
      "status",
      "--connect",
      `tcp://${hall.service.addresses.tcp}`,
    ]);
    expect(code).toBe(4);
    expect(stderr).toContain("UNIX socket");
  });
});

describe("hall stop", () => {
  it("stops the hall and waits until it is gone, with all that ran in it", async () => {
    const home = new Household();
    const hall = await home.serve(home.roster(slots), "--drain", "30s");
    const { editor } = home.edit();
    const sessionId = await editor.begin();
    const point = gate();
    const turn = editor.prompt(sessionId, [point.wait, { say: "drained" }]);
    await point.reached();
    const stopping = home.start(["stop"]).read();
    await hall.says("hall.stopping");
    expect(stopping.child.exitCode).toBe(null);
    point.open();
    expect((await turn).stopReason).toBe("end_turn");
    expect(await stopping.finished).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The hall at unix:.* has stopped/),
    });
    expect(home.halls).toEqual([]);
    expect((await hall.finished).code).toBe(0);
  });

  it("is not for agents: inside of one it says so and ends with 4", async () => {
    const home = new Household();
    await home.serve(home.roster(slots));
    const { code, stderr } = await home.run(["stop"], { env: { HALL_PROCESS: "abc.1" } });
    expect(code).toBe(4);
    expect(stderr).toContain("outside");
    expect(home.halls).toHaveLength(1);
  });

  it("ends with 3 when there is none", async () => {
    expect((await new Household().run(["stop"])).code).toBe(3);
  });
});

import { once } from "node:events";
import { methods, PROTOCOL_VERSION, client as sdkClient } from "@agentclientprotocol/sdk";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { describe, expect, it, onTestFinished } from "vitest";
import { type ClientOptions, WebSocket } from "ws";
import { Bridge } from "../../src/bridge/bridge.ts";
import { HandClock, systemClock } from "../../src/ground/clock.ts";
import { dialWebSocket } from "../../src/wire/dial-websocket.ts";
import { memoryPair } from "../../src/wire/memory.ts";
import { connectSocket } from "../../src/wire/tcp.ts";
import type { AcpClient } from "../doubles/acp-client.ts";
import { startHall, type TestHall } from "../doubles/start-hall.ts";
import { place } from "./connections.ts";

const LISTEN = { tcp: "127.0.0.1:0", http: "127.0.0.1:0" };
const SLOTS = { one: { ways: {} }, two: { ways: {} } };
const HELLO = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: 1, clientCapabilities: {} },
};

const hallWith = (roster: object = {}, more: object = {}): Promise<TestHall> =>
  startHall({ slots: SLOTS, roster: { listen: LISTEN, ...roster }, ...more });

const urlOf = (hall: TestHall): string => `ws://${hall.service.addresses.http}/acp`;

async function byWebSocket(hall: TestHall, token?: string): Promise<AcpClient> {
  return hall.over(await dialWebSocket({ url: urlOf(hall), token, tls: {}, clock: systemClock }));
}

/** A bare WebSocket that is open. */
async function open(hall: TestHall, options: ClientOptions = {}): Promise<WebSocket> {
  const socket = new WebSocket(urlOf(hall), options);
  onTestFinished(() => socket.terminate());
  await once(socket, "open");
  return socket;
}

async function refused(hall: TestHall, options: ClientOptions, path = ""): Promise<number | undefined> {
  const socket = new WebSocket(urlOf(hall) + path, options);
  return new Promise((resolve, reject) => {
    socket.on("unexpected-response", (request, response) => {
      request.destroy();
      resolve(response.statusCode);
    });
    socket.on("open", () => {
      socket.terminate();
      reject(new Error("It was let in."));
    });
    socket.on("error", () => {});
  });
}

async function closing(socket: WebSocket): Promise<{ code: number; reason: string }> {
  const [code, reason] = await once(socket, "close");
  return { code: Number(code), reason: String(reason) };
}

/** Everything that a client may see in a turn, with a question and its answer. */
async function conversation(client: AcpClient): Promise<void> {
  await client.initialize();
  const { sessionId } = await client.newSession();
  const turn = client.prompt(sessionId, [
    { say: ["one ", "two\u2028"] },
    { think: "hm" },
    { plan: ["first"] },
    { tool: { id: "t", title: "dig", kind: "execute", status: "pending" } },
    { ask: { tool: { id: "t", title: "dig" } } },
    { bigText: 70_000 },
  ]);
  (await client.question()).select("allow");
  await turn;
  await client.setOption(sessionId, "hall.slot", "two").catch(() => {});
  await client.load(sessionId);
  await client.closeSession(sessionId);
  await client.request("session/load", { sessionId: "none", cwd: "/", mcpServers: [] }).catch(() => {});
}

/** What came, without what chance or time has chosen. */
const transcript = (client: AcpClient): string[] =>
  client.received.map(({ bytes }) =>
    bytes
      .toString()
      .replaceAll(/hs_[0-9a-f]{32}/g, "SESSION")
      .replaceAll(/turn_[0-9a-f]{16}|[0-9a-f]{32}/g, "TURN")
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{8}/g, "JOURNAL")
      .replaceAll(/"hall\/cursor":\d+/g, "CURSOR"),
  );

describe("a WebSocket", () => {
  it("is one more way to the same conversation, line by line as over TCP, UNIX socket and hall acp", {
    timeout: 90_000,
  }, async () => {
    const hall = await hallWith();
    const { host, port } = place(hall.service.addresses.tcp ?? "");
    const [editor, behind] = memoryPair();
    const bridge = new Bridge({
      editor: behind,
      hall: await connectSocket({ host, port }),
      reconnect: () => Promise.reject(new Error("not needed")),
      patience: 0,
      clock: systemClock,
    });
    const bridged = bridge.run();
    const ways = {
      tcp: await hall.connect(),
      unix: hall.over(await connectSocket({ path: hall.service.addresses.unix })),
      websocket: await byWebSocket(hall),
      token: await byWebSocket(hall, hall.token("ann")),
      bridge: hall.over(editor),
    };
    for (const client of Object.values(ways)) await conversation(client);
    const [expected, ...others] = Object.values(ways).map(transcript);
    expect(expected?.length).toBeGreaterThan(10);
    for (const other of others) expect(other).toEqual(expected);
    ways.bridge.end();
    await bridged;
  });

  it("is spoken by the SDK's own client", async () => {
    const hall = await hallWith();
    let text = "";
    const app = sdkClient({ name: "by WebSocket" }).onNotification(
      methods.client.session.update,
      ({ params: { update } }) => {
        if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text")
          text += update.content.text;
      },
    );
    const stream = createWebSocketStream(urlOf(hall), { WebSocket });
    const stop = await app.connectWith(stream, async (agent) => {
      await agent.request(methods.agent.initialize, {
        protocolVersion: PROTOCOL_VERSION,
        clientCapabilities: {},
      });
      const { sessionId } = await agent.request(methods.agent.session.new, {
        cwd: hall.work,
        mcpServers: [],
      });
      const { stopReason } = await agent.request(methods.agent.session.prompt, {
        sessionId,
        prompt: [{ type: "text", text: "hello" }],
      });
      return stopReason;
    });
    expect({ stop, text }).toEqual({ stop: "end_turn", text: "echo: hello" });
  });

  it("takes a message over several lines as one, passes over binary ones, and has a connection id", async () => {
    const hall = await hallWith();
    const socket = new WebSocket(urlOf(hall));
    onTestFinished(() => socket.terminate());
    const opened = once(socket, "open");
    const [response] = await once(socket, "upgrade");
    expect(response.headers["acp-connection-id"]).toMatch(/^[0-9a-f-]{36}$/);
    await opened;
    socket.send(Buffer.from("binary"), { binary: true });
    socket.send(JSON.stringify(HELLO, null, 2).replaceAll("\n", "\r\n"));
    const [answer, isBinary] = await once(socket, "message");
    expect(isBinary).toBe(false);
    expect(String(answer)).not.toContain("\n");
    expect(JSON.parse(String(answer))).toMatchObject({ id: 1, result: { protocolVersion: 1 } });
    socket.send("{}\n{}");
    const [fault] = await once(socket, "message");
    expect(JSON.parse(String(fault))).toMatchObject({ id: null, error: { code: -32700 } });
  });

  it.each(['{"jsonrpc":"2.0","id":1,"method":"session/list"}', "no JSON", "[]"])(
    "that does not begin with initialize is closed with 1002: %s",
    async (first) => {
      const hall = await hallWith();
      const socket = await open(hall);
      socket.send(first);
      expect(await closing(socket)).toEqual({ code: 1002, reason: "The first message must be initialize." });
    },
  );

  it("with a message beyond the limit is closed with 1009 and a reason; before initialize that is soon", async () => {
    const hall = await hallWith({ limits: { line: "128KiB" } });
    const stranger = await open(hall);
    stranger.send(JSON.stringify({ ...HELLO, padding: "x".repeat(120_000) }));
    // Within the frame limit: answered in words, as on TCP.
    const [complaint] = await once(stranger, "message");
    expect(JSON.parse(String(complaint))).toMatchObject({ id: null, error: { code: -32600 } });
    const known = await open(hall);
    known.send(JSON.stringify(HELLO));
    await once(known, "message");
    known.send("x".repeat(200_000));
    expect(await closing(known)).toEqual({
      code: 1009,
      reason: "The message is longer than limits.line of this hall.",
    });
  });

  it("of a stranger with megabytes before initialize is closed with 1009, long before they have come", async () => {
    const hall = await hallWith();
    const socket = await open(hall);
    socket.send("x".repeat(30 * 2 ** 20));
    expect(await closing(socket)).toMatchObject({ code: 1009 });
  });

  it("is pinged, so that proxies keep it, and dropped within a minute when nothing answers", async () => {
    const clock = new HandClock();
    const hall = await hallWith({}, { clock });
    const alive = await open(hall);
    alive.send(JSON.stringify(HELLO));
    await once(alive, "message");
    for (let ping = 0; ping < 4; ping++) {
      const pinged = once(alive, "ping");
      clock.advance(25_000);
      await pinged;
      // Its pong must have come, too: an answer that was asked for behind it says so.
      alive.send(JSON.stringify({ ...HELLO, id: 2 + ping }));
      await once(alive, "message");
    }
    const dead = await open(hall, { autoPong: false });
    dead.send(JSON.stringify(HELLO));
    await once(dead, "message");
    const closed = closing(dead);
    clock.advance(25_000);
    await once(alive, "ping");
    alive.send(JSON.stringify({ ...HELLO, id: 9 }));
    await once(alive, "message");
    clock.advance(30_000);
    expect(await closed).toMatchObject({ code: 1006 });
    expect(alive.readyState).toBe(WebSocket.OPEN);
  });

  it("is refused with a status: a wrong path, page or name, a wrong token, nobody's, and a hall that stops", async () => {
    const hall = await hallWith({}, { strangers: true });
    expect(await refused(hall, {})).toBe(401);
    const token = hall.token("ann");
    expect(await refused(hall, { headers: { Authorization: "Bearer hall_x" } })).toBe(401);
    expect(await refused(hall, { headers: { Authorization: `Basic ${token}` } })).toBe(401);
    expect(await refused(hall, {}, "/../x")).toBe(404);
    expect(await refused(hall, { origin: "https://evil.example" })).toBe(403);
    expect(await refused(hall, { headers: { Host: "evil.example" } })).toBe(403);
    // A browser cannot send the header: it shows the token in its first message.
    const page = hall.over(
      await dialWebSocket({ url: urlOf(hall), token: undefined, tls: {}, clock: systemClock }),
    );
    await page.initialize({ _meta: { "hall/token": token } });
    const header = await byWebSocket(hall, token);
    await header.initialize();
    expect((await header.list()).sessions).toEqual([]);
    hall.revoke("ann");
    await Promise.all([page.closed, header.closed]);
    const nobody = await byWebSocket(hall).catch((error: Error) => error.message);
    expect(nobody).toContain("This hall has no tokens");
  });

  it("whose client does not read holds nobody up, and gets everything when it reads again", async () => {
    const hall = await hallWith();
    const slow = await byWebSocket(hall);
    const sessionId = await slow.begin();
    const quick = await hall.connect();
    await quick.initialize();
    await quick.load(sessionId);
    slow.stopReading();
    const { _meta } = await quick.prompt(sessionId, [{ flood: { bytes: 8 * 2 ** 20, size: 65_536 } }]);
    slow.readAgain();
    // It sent no prompt: what it was sent is the journal, byte for byte.
    await expect
      .poll(() => slow.updateBytes(sessionId).length, { timeout: 20_000 })
      .toBe(_meta?.["hall/cursor"]);
  });
});

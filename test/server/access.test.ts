import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { connectSocket } from "../../src/wire/tcp.ts";
import type { AcpClient } from "../doubles/acp-client.ts";
import { startHall, type TestHall } from "../doubles/start-hall.ts";

const SLOTS = { one: { ways: {} }, two: { ways: {} }, open: { ways: {}, share: true } };
const NOT_AUTHORIZED = { code: -32000, data: { kind: "not_authorized" } };
const NOT_FOUND = { code: -32002 };

/** A hall in which nobody is trusted. */
const guarded = (clock?: HandClock): Promise<TestHall> =>
  startHall({ slots: SLOTS, strangers: true, ...(clock ? { clock } : {}) });

async function withToken(hall: TestHall, token: string, slot?: string): Promise<AcpClient> {
  const client = await hall.connect();
  await client.initialize({
    _meta: { "hall/token": token, ...(slot === undefined ? {} : { "hall/slot": slot }) },
  });
  return client;
}

/** Runs a turn, so that the session is one that is listed and kept. */
async function sessionOf(client: AcpClient, slot = "one"): Promise<string> {
  const { sessionId } = await client.newSession({ _meta: { "hall/slot": slot } });
  await client.prompt(sessionId, "hello");
  return sessionId;
}

describe("who is not trusted", () => {
  it("is turned away at the door while there are no tokens", async () => {
    const hall = await guarded();
    const client = await hall.connect();
    await client.closed;
    expect(client.messages).toMatchObject([{ id: null, error: NOT_AUTHORIZED }]);
    expect(hall.log.join("\n")).toContain('"why":"not_this_user"');
  });

  it.each([
    ["without a token", undefined, "no_token"],
    ["with a wrong one", "hall_wrong", "wrong_token"],
    ["with an empty one", "", "wrong_token"],
    ["with one that is no text", { a: 1 }, "wrong_token"],
    ["with its hash", "hash", "wrong_token"],
  ])("is answered, and disconnected, %s", async (_, shown, why) => {
    const hall = await guarded();
    hall.token("ann");
    const [, hash = ""] = /hash: (\S+)/.exec(readFileSync(join(hall.folder, "tokens.yml"), "utf8")) ?? [];
    const client = await hall.connect();
    const token = shown === "hash" ? hash : shown;
    const first = client.initialize({ _meta: token === undefined ? {} : { "hall/token": token } });
    await expect(first).rejects.toMatchObject(NOT_AUTHORIZED);
    await expect(client.newSession()).rejects.toThrow();
    await client.closed;
    expect(hall.log.join("\n")).toContain(`"why":"${why}"`);
    expect(hall.log.join("\n")).not.toContain("hall_wrong");
  });

  it("comes in with a token, which nothing that the hall writes holds", async () => {
    const hall = await guarded();
    const token = hall.token("ann");
    const client = await withToken(hall, token);
    const sessionId = await sessionOf(client);
    expect(client.texts(sessionId)).toBe("echo: hello");
    const log = hall.log.join("\n");
    expect(log).toMatch(/client\.admitted .*"client":"client-1","as":"ann","via":"tcp"/);
    expect(log).not.toContain(token);
    expect(JSON.stringify(hall.agents())).not.toContain(token);
    expect(readFileSync(join(hall.folder, "tokens.yml"), "utf8")).not.toContain(token);
    expect(client.received.map(({ bytes }) => bytes.toString()).join()).not.toContain(token);
  });

  it("is out within a second when the token is revoked, and does not come back by it or by its name", async () => {
    const hall = await guarded();
    const token = hall.token("ann");
    const other = await withToken(hall, hall.token("ben"));
    const client = await withToken(hall, token);
    const sessionId = await sessionOf(client);
    const before = performance.now();
    hall.revoke("ann");
    await client.closed;
    expect(performance.now() - before).toBeLessThan(5_000);
    await expect(withToken(hall, token)).rejects.toMatchObject(NOT_AUTHORIZED);
    // Who gets the name next is somebody else.
    const namesake = await withToken(hall, hall.token("ann"));
    expect((await namesake.list()).sessions).toEqual([]);
    await expect(namesake.load(sessionId)).rejects.toMatchObject(NOT_FOUND);
    expect(await other.list()).toEqual({ sessions: [] });
    expect(hall.log.join("\n")).toContain('client.revoked {"event":"client.revoked"');
  });

  it("is out when its token may do less than before, or the file cannot be trusted any more", async () => {
    const hall = await guarded();
    const file = join(hall.folder, "tokens.yml");
    const token = hall.token("ann", { scopes: ["prompt", "approve"] });
    const first = await withToken(hall, token);
    writeFileSync(file, readFileSync(file, "utf8").replace("- approve", "- observe"));
    await first.closed;
    const second = await withToken(hall, token);
    writeFileSync(file, "tokens: [{ name: ann }]\n");
    await second.closed;
    expect(hall.log.join("\n")).toContain("has a token that cannot be read (number 1)");
    await expect((await hall.connect()).closed).resolves.toBeUndefined();
  });
});

describe("a scope", () => {
  const denied: Record<string, [method: string, params: object][]> = {
    observe: [
      ["session/new", { cwd: "/", mcpServers: [] }],
      ["session/fork", {}],
      ["session/prompt", { prompt: [{ type: "text", text: "x" }] }],
      ["session/close", {}],
      ["session/delete", {}],
      ["session/set_mode", { modeId: "x" }],
      ["session/set_config_option", { configId: "hall.slot", value: "two" }],
      ["_vendor/thing", {}],
    ],
    prompt: [
      ["_hall/status", {}],
      ["_hall/stop", {}],
      ["_hall/nothing", {}],
      ["authenticate", { methodId: "x" }],
      ["logout", {}],
    ],
    approve: [
      ["session/list", {}],
      ["session/load", { cwd: "/", mcpServers: [] }],
      ["session/resume", { cwd: "/" }],
    ],
  };
  it.each(Object.entries(denied))("%s is not enough for what needs another", async (scope, methods) => {
    const hall = await guarded();
    const worker = await withToken(hall, hall.token("worker"), "open");
    const sessionId = await sessionOf(worker, "open");
    const client = await withToken(hall, hall.token("x", { scopes: [scope as "observe"] }), "open");
    for (const [method, params] of methods) {
      await expect(client.request(method, { sessionId, ...params }), method).rejects.toMatchObject(
        NOT_AUTHORIZED,
      );
    }
    expect(hall.log.filter((line) => line.startsWith("client.denied"))).toHaveLength(methods.length);
    // It is still there, and so is the session.
    await expect(client.request("session/unknown", {})).rejects.toMatchObject({ code: -32601 });
    expect((await worker.list()).sessions).toHaveLength(1);
  });

  it("observe reads what there is, and is not asked and cannot cancel", async () => {
    const hall = await guarded();
    const worker = await withToken(hall, hall.token("worker"), "open");
    const { sessionId } = await worker.newSession();
    const watcher = await withToken(hall, hall.token("watcher", { scopes: ["observe"] }), "open");
    await watcher.load(sessionId);
    const turn = worker.prompt(sessionId, [{ ask: { tool: { id: "t", title: "dig" } } }, { say: "done" }]);
    const question = await worker.question();
    watcher.cancel(sessionId);
    expect(
      (await watcher.saidMeanwhile()).some(({ method }) => method === "session/request_permission"),
    ).toBe(false);
    question.select("allow");
    expect(await turn).toMatchObject({ stopReason: "end_turn" });
    expect((await watcher.list()).sessions).toMatchObject([{ sessionId }]);
    await watcher.hears("done");
  });

  it("approve is asked, and its answer counts", async () => {
    const hall = await guarded();
    const worker = await withToken(hall, hall.token("worker", { scopes: ["prompt"] }), "open");
    const { sessionId } = await worker.newSession();
    const warden = await withToken(hall, hall.token("warden", { scopes: ["observe", "approve"] }), "open");
    await warden.load(sessionId);
    const turn = worker.prompt(sessionId, [{ ask: { tool: { id: "t", title: "dig" } } }]);
    (await warden.question()).select("allow");
    await turn;
    expect(worker.texts(sessionId)).toBe("asked: selected allow");
    // Who it was stands in the record and among the events.
    const by = '"by":"test (client-2, token warden)"';
    expect(hall.log.join("\n")).toContain(by);
    expect(readFileSync(join(hall.state, "sessions", sessionId, "session.jsonl"), "utf8")).toContain(by);
    expect(worker.messages.some(({ method }) => method === "session/request_permission")).toBe(false);
  });

  it("approve that nobody has leaves a question waiting for who has it, instead of refusing it", async () => {
    const hall = await guarded();
    const worker = await withToken(hall, hall.token("worker", { scopes: ["prompt"] }), "open");
    const { sessionId } = await worker.newSession();
    const turn = worker.prompt(sessionId, [{ say: "before" }, { ask: { tool: { id: "t", title: "dig" } } }]);
    await worker.hears("before");
    const warden = await withToken(hall, hall.token("warden", { scopes: ["observe", "approve"] }), "open");
    await warden.load(sessionId);
    (await warden.question()).select("allow");
    await turn;
    expect(worker.texts(sessionId)).toBe("beforeasked: selected allow");
  });

  it("admin may all of it, in every session, and the control methods", async () => {
    const hall = await guarded();
    const sessionId = await sessionOf(await withToken(hall, hall.token("ann")));
    const admin = await withToken(hall, hall.token("root", { scopes: ["admin"] }));
    expect((await admin.list()).sessions).toMatchObject([{ sessionId }]);
    await admin.load(sessionId);
    await admin.prompt(sessionId, "more");
    expect(admin.texts(sessionId)).toContain("more");
    expect(await admin.request("_hall/status", {})).toMatchObject({ sessions: 1 });
    expect(await admin.deleteSession(sessionId)).toEqual({});
  });
});

describe("another's session", () => {
  it("is one that there is not: it cannot be listed, read, driven, changed, cancelled or deleted", async () => {
    const hall = await guarded();
    const ann = await withToken(hall, hall.token("ann"));
    const { sessionId } = await ann.newSession();
    const ben = await withToken(hall, hall.token("ben"));
    const turn = ann.prompt(sessionId, [{ say: "begun" }, { wait: "cancel" }]);
    await ann.hears("begun");
    const unknown = `hs_${"0".repeat(32)}`;
    const requests: [string, object][] = [
      ["session/load", { cwd: hall.work, mcpServers: [] }],
      ["session/resume", { cwd: hall.work }],
      ["session/prompt", { prompt: [{ type: "text", text: "x" }] }],
      ["session/close", {}],
      ["session/set_mode", { modeId: "x" }],
      ["session/set_config_option", { configId: "hall.slot", value: "two" }],
      ["session/set_config_option", { configId: "other", value: "x" }],
      ["_vendor/thing", {}],
    ];
    for (const [method, params] of requests) {
      const errors: unknown[] = [];
      for (const id of [sessionId, unknown])
        await ben
          .request(method, { ...params, sessionId: id })
          .catch((error: Error) => errors.push(error.message));
      // Word for word what an id gets that nobody has.
      expect(errors, method).toEqual(["There is no such session.", "There is no such session."]);
    }
    expect(await ben.deleteSession(sessionId)).toEqual({});
    ben.cancel(sessionId);
    ben.notify("_vendor/note", { sessionId });
    expect((await ben.list()).sessions).toEqual([]);
    expect(await ben.saidMeanwhile()).toEqual([]);
    expect((await ann.list()).sessions).toHaveLength(1);
    ann.cancel(sessionId);
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
  });

  it("is seen in a slot that is shared, and stays a token's own in one that is not, also after a restart", async () => {
    const hall = await guarded();
    const [ann, ben] = [hall.token("ann"), hall.token("ben")];
    const first = await withToken(hall, ann);
    const [own, shared] = [await sessionOf(first, "one"), await sessionOf(first, "open")];
    await hall.restart("stop");
    const idsFor = async (token: string): Promise<string[]> =>
      (await (await withToken(hall, token)).list()).sessions.map(({ sessionId }) => sessionId);
    expect((await idsFor(ann)).toSorted()).toEqual([own, shared].toSorted());
    expect(await idsFor(ben)).toEqual([shared]);
    await (await withToken(hall, ben)).load(shared);
  });

  it("is that of the hall's own user for who has a token, and the other way round; the UNIX socket sees all", async () => {
    const hall = await startHall({ slots: SLOTS });
    const local = await hall.connect();
    await local.initialize();
    const locals = await sessionOf(local);
    const ann = await withToken(hall, hall.token("ann"));
    const anns = await sessionOf(ann);
    await expect(ann.load(locals)).rejects.toMatchObject(NOT_FOUND);
    await expect(local.load(anns)).rejects.toMatchObject(NOT_FOUND);
    const unix = hall.over(await connectSocket({ path: hall.service.addresses.unix }));
    await unix.initialize({ _meta: { "hall/token": "of another hall" } });
    expect((await unix.list()).sessions).toHaveLength(2);
    await expect(local.request("_hall/status", {})).rejects.toMatchObject(NOT_AUTHORIZED);
    expect(await unix.request("_hall/status", {})).toMatchObject({ sessions: 2 });
  });

  it("is not reached by an id that is a trick", async () => {
    const hall = await startHall({ slots: SLOTS });
    const unix = hall.over(await connectSocket({ path: hall.service.addresses.unix }));
    await unix.initialize();
    const kept = await sessionOf(unix);
    const tricks = [
      "../../etc",
      "..%2f..",
      `${kept}/../${kept}`,
      "/etc/passwd",
      "hs_\u0000",
      ".",
      "",
      "constructor",
      "__proto__",
    ];
    for (const sessionId of tricks) {
      const params = { sessionId, cwd: hall.work, mcpServers: [], prompt: [{ type: "text", text: "x" }] };
      for (const method of ["session/load", "session/resume", "session/close", "session/prompt"])
        await expect(unix.request(method, params), `${method} ${sessionId}`).rejects.toMatchObject(NOT_FOUND);
      expect(await unix.request("session/delete", { sessionId })).toEqual({});
    }
    expect((await unix.list()).sessions).toMatchObject([{ sessionId: kept }]);
    await unix.load(kept);
  });
});

describe("what somebody else gave a name to", () => {
  it("is not theirs who guess it: a key of a new session, and a client's own name", async () => {
    const hall = await guarded();
    const [ann, ben] = [hall.token("ann"), hall.token("ben")];
    const name = "a".repeat(32);
    const first = await hall.connect();
    await first.initialize({ _meta: { "hall/token": ann, "hall/client": name } });
    const mine = await first.newSession({ _meta: { "hall/key": "key" } });
    const thief = await hall.connect();
    await thief.initialize({ _meta: { "hall/token": ben, "hall/client": name } });
    const theirs = await thief.newSession({ _meta: { "hall/key": "key" } });
    expect(theirs.sessionId).not.toBe(mine.sessionId);
    // The first has not lost its place to the other.
    await first.prompt(mine.sessionId, "still here");
    expect(first.texts(mine.sessionId)).toBe("echo: still here");
    expect(thief.updates(mine.sessionId)).toEqual([]);
  });
});

describe("the tokens file", () => {
  it("is served to no agent, whatever its session's folder is", async () => {
    const hall = await guarded();
    const client = await withToken(hall, hall.token("ann"));
    const { sessionId } = await client.newSession({ cwd: hall.folder });
    const file = join(hall.folder, "tokens.yml");
    await client.prompt(sessionId, [
      { read: file },
      { read: `${hall.folder}/work/../tokens.yml` },
      { write: { path: file, content: "" } },
    ]);
    expect(client.texts(sessionId)).toMatch(/^read: error .*read: error .*wrote: error /s);
    expect(readFileSync(file, "utf8")).toContain("name: ann");
  });
});

describe("a token's slots", () => {
  it("are all that it is shown, and can begin or move to", async () => {
    const hall = await guarded();
    const client = await withToken(hall, hall.token("ann", { slots: ["two", "open"] }));
    const hello = await client.request("initialize", { protocolVersion: 1 });
    expect(hello).toMatchObject({
      agentCapabilities: { _meta: { "hall/slots": [{ name: "two" }, { name: "open" }] } },
    });
    const { sessionId, configOptions, _meta } = await client.newSession();
    expect(_meta).toMatchObject({ "hall/slot": "two" });
    expect(configOptions).toMatchObject([
      { id: "hall.slot", options: [{ value: "two" }, { value: "open" }] },
    ]);
    const refused = { code: -32602, data: { slots: ["two", "open"] } };
    await expect(client.newSession({ _meta: { "hall/slot": "one" } })).rejects.toMatchObject(refused);
    await expect(client.newSession({ raiderName: "one" })).rejects.toMatchObject(refused);
    await expect(client.setOption(sessionId, "hall.slot", "one")).rejects.toMatchObject(refused);
    await client.setOption(sessionId, "hall.slot", "open");
    const again = await hall.connect();
    const asked = again.initialize({
      _meta: { "hall/token": hall.token("b", { slots: ["open"] }), "hall/slot": "one" },
    });
    await expect(asked).rejects.toMatchObject({ code: -32602, data: { slots: ["open"] } });
  });
});

describe("who guesses tokens", () => {
  it("is slowed down after five, one attempt a second, the right one too; and is told so beyond eight", async () => {
    const clock = new HandClock();
    const hall = await guarded(clock);
    const token = hall.token("ann");
    for (let guess = 0; guess < 5; guess++)
      await expect(withToken(hall, `hall_${guess}`)).rejects.toMatchObject(NOT_AUTHORIZED);
    const waiting = [];
    for (let guess = 0; guess < 8; guess++) {
      const client = await hall.connect();
      waiting.push(client.initialize({ _meta: { "hall/token": guess === 7 ? token : "hall_x" } }));
      // In order: the next one begins when the hall has this one.
      await expect.poll(() => clock.pending, { timeout: 20_000 }).toBeGreaterThan(guess);
    }
    await expect(withToken(hall, token)).rejects.toMatchObject({ data: { reason: "too_many_attempts" } });
    const settled = Promise.allSettled(waiting);
    for (let second = 0; second < 9; second++) clock.advance(1_000);
    const outcomes = (await settled).map(({ status }) => status);
    expect(outcomes).toEqual([...Array(7).fill("rejected"), "fulfilled"]);
    clock.advance(16 * 60_000);
    await withToken(hall, token);
  });
});

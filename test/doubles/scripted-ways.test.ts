import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventually } from "./eventually.ts";
import type { Ways } from "./scripted-agent/ways.ts";
import { type SpawnedAgent, spawnAgent } from "./spawned-agent.ts";
import { temporaryFolder } from "./temporary-folder.ts";

async function begin(ways: Ways = {}) {
  const agent = spawnAgent(ways);
  return { ...agent, sessionId: await agent.client.begin() };
}

/** Two processes of one agent, the second with what the first kept of a session. */
async function restarted(ways: Ways) {
  const stateFile = join(temporaryFolder(), "state");
  const first = await begin({ ...ways, stateFile });
  await first.client.prompt(first.sessionId, "remember this");
  first.client.end();
  await first.exited;
  const { client } = spawnAgent({ ...ways, stateFile });
  await client.initialize();
  return { client, sessionId: first.sessionId };
}

const exitsWith = async ({ exited }: SpawnedAgent, end: () => void): Promise<unknown> => {
  end();
  return await exited;
};

describe("a scripted agent as a process", () => {
  it("ends with 0 at the end of its stdin, and by the signals that it gets", async () => {
    const first = await begin();
    expect(await exitsWith(first, () => first.client.end())).toBe(0);
    const second = await begin();
    expect(await exitsWith(second, () => second.child.kill("SIGINT"))).toBe("SIGINT");
  });

  it("stays when it ignores the end of its stdin, SIGINT and SIGTERM", async () => {
    const transcript = temporaryFolder();
    const agent = await begin({ ignoreEof: true, ignoreSigint: true, ignoreSigterm: true, transcript });
    agent.child.kill("SIGINT");
    agent.child.kill("SIGTERM");
    agent.client.end();
    const notes = (): string[] =>
      readdirSync(transcript)
        .flatMap((file) => readFileSync(join(transcript, file), "utf8").trimEnd().split("\n"))
        .map((line) => JSON.parse(line))
        .filter(({ way }) => way === "note")
        .map(({ text }) => text);
    await eventually(notes).toEqual(expect.arrayContaining(["SIGINT", "SIGTERM", "end of stdin"]));
    expect(agent.child.exitCode).toBe(null);
    expect(await exitsWith(agent, () => agent.child.kill("SIGKILL"))).toBe("SIGKILL");
  });

  it("can end before it reads anything, saying why on stderr", async () => {
    const agent = spawnAgent({ exitAtStart: { code: 7, stderr: "no licence\n" } });
    expect(await agent.exited).toBe(7);
    await eventually(() => agent.stderr()).toBe("no licence\n");
  });

  it("can be noisy on stdout and on stderr", async () => {
    const noise = { atStart: ["Welcome back!"], inTurn: ["debug: turn"] };
    const { child, client, sessionId, stderr } = await begin({ stdoutNoise: noise, stderrBytes: 1 << 20 });
    let raw = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      raw += chunk.toString();
    });
    await client.prompt(sessionId, "hello");
    expect(raw).toMatch(/^debug: turn\n/);
    await eventually(() => stderr().length).toBe(1 << 20);
    expect(client.check.violations.splice(0).map(({ line }) => line.trimEnd())).toEqual([
      "Welcome back!",
      "debug: turn",
    ]);
  });

  it("can start a process of its own before anything else, and take its time to initialize", async () => {
    const pidFile = join(temporaryFolder(), "pid");
    const { client } = spawnAgent({ grandchild: { pidFile }, initializeDelay: 20 });
    await client.initialize();
    const pid = (): number => (existsSync(pidFile) ? Number(readFileSync(pidFile, "utf8")) : 0);
    await eventually(pid).toBeGreaterThan(0);
    expect(process.kill(pid(), "SIGKILL")).toBe(true);
  });

  it("can hold initialize or session/new back, until a file is there or for ever", async () => {
    const file = join(temporaryFolder(), "go");
    const { client } = spawnAgent({ newAfterFile: file });
    await client.initialize();
    const created = client.newSession();
    expect(await client.saidMeanwhile()).toEqual([]);
    writeFileSync(file, "");
    await created;

    const silent = spawnAgent({ neverInitialize: true });
    void silent.client.initialize();
    await expect(silent.client.newSession()).rejects.toMatchObject({ code: -32600 });
    expect(silent.client.messages).toHaveLength(1);
  });
});

describe("a scripted agent's sessions", () => {
  it("come with updates right before and right after the answer that names them, in one write", async () => {
    const { child, client } = spawnAgent({
      commandsWithNew: "both",
      newSessionUpdates: { after: [{ sessionUpdate: "session_info_update", title: "T" }] },
    });
    await client.initialize();
    const chunks: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
    const { sessionId } = await client.newSession();
    expect(chunks).toHaveLength(1);
    expect(client.messages.slice(1).map(({ method }) => method)).toEqual([
      "session/update",
      undefined,
      "session/update",
      "session/update",
    ]);
    expect(client.updates(sessionId)).toHaveLength(3);
  });

  it("have ids that collide between processes when they are counted", async () => {
    const ids = [await begin({ idPrefix: "s-" }), await begin({ idPrefix: "s-" })];
    expect(ids.map(({ sessionId }) => sessionId)).toEqual(["s-1", "s-1"]);
  });

  it("are loaded in another process with all that was said, and remembered", async () => {
    const { client, sessionId } = await restarted({});
    await client.load(sessionId);
    expect(client.userTexts(sessionId)).toBe("remember this");
    expect(client.texts(sessionId)).toBe("echo: remember this");
    await client.prompt(sessionId, [{ tell: "memory" }]);
    expect(client.texts(sessionId)).toContain("memory: remember this | ");
  });

  it("are resumed in another process without a word", async () => {
    const { client, sessionId } = await restarted({});
    await client.resume(sessionId);
    expect(client.updates(sessionId)).toEqual([]);
    await client.prompt(sessionId, [{ tell: "memory" }]);
    expect(client.texts(sessionId)).toContain("memory: remember this | ");
  });

  it("are unknown to a process that has neither loaded nor resumed them", async () => {
    const { client, sessionId } = await restarted({});
    await expect(client.prompt(sessionId, "hello")).rejects.toMatchObject({
      code: -32002,
      data: { sessionId },
    });
  });

  it("can be badly loaded: without a replay, without the user, with an error, or whatever the id", async () => {
    const silent = await restarted({ loadReplays: false });
    await silent.client.load(silent.sessionId);
    expect(silent.client.updates(silent.sessionId)).toEqual([]);

    const userless = await restarted({ loadNoUserMessages: true });
    await userless.client.load(userless.sessionId);
    expect(userless.client.userTexts(userless.sessionId)).toBe("");
    expect(userless.client.texts(userless.sessionId)).toBe("echo: remember this");

    const failing = await restarted({ loadReplays: "error" });
    await expect(failing.client.load(failing.sessionId)).rejects.toMatchObject({ code: -32603 });

    const { client } = spawnAgent({ loadReplays: "accepts-unknown" });
    await client.initialize();
    expect(await client.load("never heard of")).toEqual({});
    await client.prompt("never heard of", "hello");
  });

  it("can fail to resume although that is advertised, and ask while they load", async () => {
    const { client, sessionId } = await restarted({ resumeMissing: true, loadAsks: true });
    await expect(client.resume(sessionId)).rejects.toMatchObject({ code: -32601 });
    const loaded = client.load(sessionId);
    (await client.question()).cancel();
    await loaded;
  });

  it("can be loaded with updates around the answer", async () => {
    const title = (text: string) => ({ sessionUpdate: "session_info_update", title: text });
    const loadUpdates = { before: [title("before")], after: [title("after")] };
    const { client, sessionId } = await restarted({ loadUpdates });
    const since = client.received.length;
    await client.load(sessionId);
    await client.sees("after", since);
    expect(client.messages.slice(since).map(({ method }) => method)).toEqual([
      ...Array(4).fill("session/update"), // The user's words, and the agent's in three chunks.
      "session/update",
      undefined,
      "session/update",
    ]);
  });

  it("run one script for every prompt that brings none", async () => {
    const { client, sessionId } = await begin({ script: [{ bigText: 3 }, { end: "refusal" }] });
    expect(await client.prompt(sessionId, "whatever")).toEqual({ stopReason: "refusal" });
    await client.prompt(sessionId, [{ say: "own" }]);
    expect(client.texts(sessionId)).toBe("xxxown");
  });

  it("are forked and deleted where that is offered, and closed with what runs in them", async () => {
    const { client, sessionId } = await begin({
      capabilities: { loadSession: true, sessionCapabilities: { fork: {}, delete: {}, close: {}, list: {} } },
    });
    client.exempt(({ result }) => Object(result).sessionId !== undefined); // ACP's stable schema has no fork.
    await client.prompt(sessionId, "remember this");
    const fork = Object(await client.request("session/fork", { sessionId, cwd: "/tmp" })).sessionId;
    await client.prompt(fork, [{ tell: "memory" }]);
    expect(client.texts(fork)).toContain("memory: remember this");
    const turn = client.prompt(fork, [{ say: "on" }, { wait: "forever" }]);
    await client.hears("on");
    await client.closeSession(fork);
    expect(await turn).toEqual({ stopReason: "cancelled" });
    await client.deleteSession(fork);
    expect((await client.list()).sessions.map((session) => session.sessionId)).toEqual([sessionId]);
  });

  it("keep to the capabilities: what is not there is not known", async () => {
    const { client, sessionId } = await begin({ capabilities: {} });
    for (const attempt of [client.load(sessionId), client.resume(sessionId), client.list()]) {
      await expect(attempt).rejects.toMatchObject({ code: -32601 });
    }
  });

  it("refuse a mode or an option when told to", async () => {
    const { client, sessionId } = await begin({
      modes: { currentModeId: "a", availableModes: ["a", "b"].map((id) => ({ id, name: id })) },
      configOptions: [{ id: "o", name: "O", type: "boolean", currentValue: false }],
      refuseMode: "b",
      refuseOption: "o",
    });
    await expect(client.setMode(sessionId, "b")).rejects.toMatchObject({ code: -32603 });
    await expect(client.setOption(sessionId, "o", true)).rejects.toMatchObject({ code: -32603 });
    await expect(client.setMode(sessionId, "c")).rejects.toMatchObject({ code: -32602 });
  });

  it("answer with foreign fields when told to", async () => {
    const { client } = spawnAgent({ foreignFields: { "session/new": { models: { currentModelId: "m" } } } });
    await client.initialize();
    expect(await client.newSession()).toMatchObject({ models: { currentModelId: "m" } });
  });
});

describe("a scripted agent that is cancelled", () => {
  const hang = [{ say: "hanging" }, { wait: "forever" as const }];

  it.each([
    [{ cancelAnswer: "end_turn" as const }, { stopReason: "end_turn" }],
    [{}, { stopReason: "cancelled" }],
  ])("with the ways %j answers %j", async (ways, answer) => {
    const { client, sessionId } = await begin(ways);
    const turn = client.prompt(sessionId, hang);
    await client.sees("hanging");
    client.cancel(sessionId);
    expect(await turn).toEqual(answer);
  });

  it("can answer with an error, or never", async () => {
    const failing = await begin({ cancelAnswer: "error" });
    const failed = failing.client.prompt(failing.sessionId, hang);
    await failing.client.sees("hanging");
    failing.client.cancel(failing.sessionId);
    await expect(failed).rejects.toMatchObject({ code: -32603 });

    const silent = await begin({ cancelAnswer: "never" });
    void silent.client.prompt(silent.sessionId, hang);
    await silent.client.sees("hanging");
    silent.client.cancel(silent.sessionId);
    expect(await silent.client.saidMeanwhile()).toEqual([]);
  });

  it("can take no notice", async () => {
    const file = join(temporaryFolder(), "go");
    const { client, sessionId } = await begin({ ignoreCancel: true });
    const turn = client.prompt(sessionId, [{ say: "1" }, { sleepUntilFile: file }, { say: "2" }]);
    await client.sees('"1"');
    client.cancel(sessionId);
    expect(await client.saidMeanwhile()).toEqual([]);
    writeFileSync(file, "");
    expect(await turn).toEqual({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("12");
  });

  it("can hang until its open question is answered", async () => {
    const { client, sessionId } = await begin({ hangUntilAnswered: true });
    const turn = client.prompt(sessionId, [{ ask: { tool: { id: "t" } } }]);
    const question = await client.question();
    client.cancel(sessionId);
    expect(await client.saidMeanwhile()).toEqual([]);
    question.cancel();
    expect(await turn).toEqual({ stopReason: "cancelled" });
    expect(client.texts(sessionId)).toBe("");
  });

  it("can take its open question back", async () => {
    const { client, sessionId } = await begin({ withdrawsQuestions: true });
    const turn = client.prompt(sessionId, [{ ask: { tool: { id: "t" } } }]);
    const { id } = await client.question();
    client.cancel(sessionId);
    await turn;
    expect(client.messages.at(-2)).toMatchObject({
      method: "$/cancel_request",
      params: { requestId: id },
    });
  });
});

describe("a scripted agent's own methods", () => {
  it("echo params, fail with any error, and hang until their request is cancelled", async () => {
    const { client } = await begin();
    expect(await client.request("_scripted/echo", { a: 1 })).toEqual({ params: { a: 1 } });
    const error = { code: 1234, message: "odd", data: [1] };
    await expect(client.request("_scripted/fail", { error })).rejects.toMatchObject(error);
    const id = client.nextId;
    const hanging = client.request("_scripted/hang");
    client.cancelRequest(id);
    await expect(hanging).rejects.toMatchObject({ code: -32800 });
    await expect(client.request("_unknown")).rejects.toMatchObject({ code: -32601 });
  });

  it("show its environment, and every line that it read and wrote", async () => {
    const { client, sessionId } = await begin();
    expect(await client.request("_scripted/env", { names: ["PATH", "NOT_SET"] })).toMatchObject({
      keys: expect.arrayContaining(["PATH"]),
      values: { PATH: process.env.PATH, NOT_SET: null },
    });
    await client.prompt(sessionId, "hello");
    const { received, sent } = await client.agentSaw(sessionId);
    expect(received.map(({ method }) => method)).toEqual([
      "initialize",
      "session/new",
      "_scripted/env",
      "session/prompt",
      "_scripted/seen",
    ]);
    expect(sent.at(-1)).toMatchObject({ result: { stopReason: "end_turn" } });
  });

  it("refuse a second prompt in a session that runs one, so that a hall that sends it is found out", async () => {
    const { client, sessionId } = await begin();
    void client.prompt(sessionId, [{ wait: "forever" }]);
    await expect(client.prompt(sessionId, "hello")).rejects.toMatchObject({ code: -32603 });
  });
});

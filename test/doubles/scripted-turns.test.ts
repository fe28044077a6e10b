import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventually } from "./eventually.ts";
import type { Ways } from "./scripted-agent/ways.ts";
import { spawnAgent } from "./spawned-agent.ts";
import { temporaryFolder } from "./temporary-folder.ts";

async function begin(ways: Ways = {}) {
  const agent = spawnAgent(ways);
  return { ...agent, sessionId: await agent.client.begin() };
}

describe("a scripted turn", () => {
  it("says what the client answered to a question: an option, a cancel, an error", async () => {
    const { client, sessionId } = await begin();
    const turn = client.prompt(sessionId, [
      { ask: { tool: { id: "a" } }, as: "first" },
      { ask: { tool: { id: "b" }, options: [{ optionId: "x", name: "X", kind: "allow_always" }] } },
      { ask: { tool: { id: "c" } } },
    ]);
    const first = await client.question();
    expect(first.params.options.map(({ kind }) => kind)).toEqual(["allow_once", "reject_once"]);
    first.select("reject");
    const second = await client.question();
    expect(second.params.options).toEqual([{ optionId: "x", name: "X", kind: "allow_always" }]);
    second.cancel();
    (await client.question()).fail(-32601, "no");
    await turn;
    expect(client.texts(sessionId)).toBe("first: selected rejectasked: cancelledasked: error -32601 no");
  });

  it("calls the client's files, terminals and any method, and says what came of it", async () => {
    const { client, sessionId } = await begin();
    client.answerWith(({ method }) => {
      if (method === "fs/read_text_file") return { content: "two lines" };
      if (method === "terminal/create") return { terminalId: "t" };
      if (method === "terminal/wait_for_exit") return { exitCode: 3 };
      if (method === "terminal/output") return { output: "out", truncated: false };
      if (method === "terminal/release") return {};
      return { error: { code: -32601, message: "no" } };
    });
    await client.prompt(sessionId, [
      { read: "/a" },
      { write: { path: "/b", content: "c" } },
      { terminal: { command: "true" } },
      { call: { method: "_vendor/x", params: { n: 1 } } },
    ]);
    expect(client.updates(sessionId).map((update) => "content" in update && update.content)).toMatchObject([
      { text: "read: two lines" },
      { text: "wrote: error -32601 no" },
      { text: "terminal: exit 3: out" },
      { text: "_vendor/x: error -32601 no" },
    ]);
    expect(client.messages.find(({ method }) => method === "_vendor/x")?.params).toEqual({ sessionId, n: 1 });
  });

  it("writes a burst and what follows it, the answer too, in one write", async () => {
    const { child, client, sessionId } = await begin();
    const chunks: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
    await client.prompt(sessionId, [{ burst: { count: 20, text: "b" } }, { say: "after" }]);
    expect(chunks).toHaveLength(1);
    expect(chunks[0]?.toString().trimEnd().split("\n")).toHaveLength(22);
    expect(client.texts(sessionId)).toBe(`${Array.from({ length: 20 }, (_, n) => `b${n}`).join("")}after`);
  });

  it("floods no faster than the client reads, and still hears a cancel", async () => {
    const { client, sessionId } = await begin();
    const flood = { flood: { bytes: 4 << 20, size: 2048 } };
    await client.prompt(sessionId, [flood]);
    expect(client.texts(sessionId).length).toBeGreaterThan(4 << 20);
    expect(client.texts(sessionId)).toMatch(/flooded 4194304 bytes in \d+ ms$/);

    const endless = client.prompt(sessionId, [{ flood: { bytes: Number.MAX_SAFE_INTEGER } }]);
    client.cancel(sessionId);
    expect(await endless).toEqual({ stopReason: "cancelled" });
  });

  it("is held open and let go by files", async () => {
    const folder = temporaryFolder();
    const [here, there] = [join(folder, "here"), join(folder, "there")];
    const { client, sessionId } = await begin();
    const turn = client.prompt(sessionId, [{ touch: here }, { sleepUntilFile: there }, { say: "on" }]);
    await eventually(() => existsSync(here)).toBe(true);
    expect(client.texts(sessionId)).toBe("");
    writeFileSync(there, "");
    await turn;
    expect(client.texts(sessionId)).toBe("on");
  });

  it("goes on after the cancel that it waited for, and is then answered as a cancelled one", async () => {
    const { client, sessionId } = await begin();
    const turn = client.prompt(sessionId, [{ say: "1" }, { wait: "cancel" }, { say: "2" }]);
    await client.sees('"1"');
    client.cancel(sessionId);
    expect(await turn).toEqual({ stopReason: "cancelled" });
    expect(client.texts(sessionId)).toBe("12");
  });

  it("runs steps together, so that two questions are open at once", async () => {
    const { client, sessionId } = await begin();
    const ask = (id: string) => ({ ask: { tool: { id } }, as: id });
    const turn = client.prompt(sessionId, [{ together: [ask("a"), ask("b")] }, { say: "." }]);
    const [a, b] = [await client.question(), await client.question()];
    b.select("allow");
    await client.sees("b: selected");
    a.select("reject");
    await turn;
    expect(client.texts(sessionId)).toBe("b: selected allowa: selected reject.");
  });

  it("ends as it is told: a stop reason, a whole result, an error, an update behind the answer", async () => {
    const { client, sessionId } = await begin();
    expect(await client.prompt(sessionId, [{ end: "max_tokens" }, { say: "never" }])).toEqual({
      stopReason: "max_tokens",
    });
    const result = { stopReason: "refusal", usage: { totalTokens: 1 } };
    expect(await client.prompt(sessionId, [{ end: result }])).toEqual(result);
    const error = { code: 400, message: "bad", data: { errorKind: "x" } };
    await expect(client.prompt(sessionId, [{ error }])).rejects.toMatchObject(error);
    const since = client.received.length;
    await client.prompt(sessionId, [{ late: { sessionUpdate: "session_info_update", title: "T" } }]);
    await client.sees("session_info_update", since);
    expect(client.messages.slice(since).map(({ method }) => method)).toEqual([undefined, "session/update"]);
  });

  it("ends its process by an exit code or by a signal, after all that it said", async () => {
    const first = await begin();
    const lost = first.client.prompt(first.sessionId, [{ say: "last words" }, { exit: 3 }]);
    await expect(lost).rejects.toThrow("was not answered");
    expect(await first.exited).toBe(3);
    expect(first.client.texts(first.sessionId)).toBe("last words");
    const second = await begin();
    void second.client.prompt(second.sessionId, [{ stderr: "oh" }, { kill: "SIGKILL" }]);
    expect(await second.exited).toBe("SIGKILL");
    expect(second.stderr()).toBe("oh");
  });

  it("leaves a grandchild that outlives it, holds its stdout and ignores signals", async () => {
    const pidFile = join(temporaryFolder(), "pid");
    const { child, client, exited, sessionId } = await begin();
    const grandchild = { setsid: true, ignoreSignals: true, holdStdout: true, pidFile };
    await client.prompt(sessionId, [{ spawn: grandchild }]);
    const pid = Number(readFileSync(pidFile, "utf8"));
    const order: string[] = [];
    const closed = client.closed.then(() => order.push("pipe closed"));
    child.kill("SIGTERM");
    await exited;
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.kill(pid, signal);
    await begin(); // Long enough for a pipe that nobody holds to close.
    order.push("grandchild killed");
    process.kill(pid, "SIGKILL");
    await closed;
    expect(order).toEqual(["grandchild killed", "pipe closed"]);
  });

  it("ends with a mistake in the script, so that a test with one cannot pass", async () => {
    const { client, exited, stderr, sessionId } = await begin();
    void client.prompt(sessionId, '[{"sya": "hello"}]');
    expect(await exited).toBe(96);
    expect(stderr()).toContain("no such step");
  });
});

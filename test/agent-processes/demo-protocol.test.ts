import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { demoWithLines, startDemo } from "./demo-process.ts";

/** Slow enough for a turn to be met in its middle, on any machine. */
const UNHURRIED_MS = 20;
/** So slow that what is waited for never comes by itself. */
const ENDLESS_MS = 60_000;

const isChunk = (text: string) => (message: { params?: unknown }) =>
  JSON.stringify(message.params ?? null).includes(`"text":${JSON.stringify(text)}`);

describe("the demo agent, line by line", () => {
  it("stops at once when it is cancelled in the middle of a word stream", async () => {
    const { client } = demoWithLines(UNHURRIED_MS);
    const sessionId = await client.begin();
    const answer = client.prompt(sessionId, "slow 1000");
    await client.sees(isChunk("3 "));
    client.cancel(sessionId);
    expect(await answer).toEqual({ stopReason: "cancelled" });
    const said = client.texts(sessionId);
    expect(said).toContain("1 2 3 ");
    // The next turn is whole: nothing of the old one runs on in it.
    const since = client.messages.length;
    await client.prompt(sessionId, "slow 2");
    expect(client.texts(sessionId, since)).toMatch(/^Counting to 2\. .*\n\n1 2 \n\nThat was 2/);
  });

  it("is not held up by a rest when it is cancelled", async () => {
    const { client } = demoWithLines(ENDLESS_MS);
    const sessionId = await client.begin();
    const answer = client.prompt(sessionId, "slow");
    await client.sees(isChunk("Counting "));
    client.cancel(sessionId);
    expect(await answer).toEqual({ stopReason: "cancelled" });
    expect(client.texts(sessionId)).toBe("Counting ");
  });

  it("takes an open question back when it is cancelled, and leaves no tool call open", async () => {
    const { client } = demoWithLines();
    const sessionId = await client.begin();
    const answer = client.prompt(sessionId, "tool");
    const question = await client.question();
    client.cancel(sessionId);
    question.cancel();
    expect(await answer).toEqual({ stopReason: "cancelled" });
    await client.sees(
      ({ method, params }) =>
        method === "$/cancel_request" &&
        JSON.stringify(params) === JSON.stringify({ requestId: question.id }),
    );
    expect(client.updates(sessionId).at(-1)).toMatchObject({
      sessionUpdate: "tool_call_update",
      toolCallId: question.params.toolCall.toolCallId,
      status: "failed",
    });
  });

  it("does not act on a yes that comes in one read with the cancel", async () => {
    const { client } = demoWithLines();
    const sessionId = await client.begin();
    const answer = client.prompt(sessionId, "tool");
    const { id } = await client.question();
    const lines = [
      { jsonrpc: "2.0", id, result: { outcome: { outcome: "selected", optionId: "allow" } } },
      { jsonrpc: "2.0", method: "session/cancel", params: { sessionId } },
    ];
    client.raw(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join("")));
    expect(await answer).toEqual({ stopReason: "cancelled" });
    expect(JSON.stringify(client.updates(sessionId))).not.toContain("in_progress");
  });

  it.each([
    ["an option that was not offered", { outcome: { outcome: "selected", optionId: "yes" } }],
    ["a question that was cancelled", { outcome: { outcome: "cancelled" } }],
    ["nonsense", { allow: true }],
  ])("takes %s for a no, and goes on", async (_, result) => {
    const { client } = demoWithLines();
    const sessionId = await client.begin();
    const answer = client.prompt(sessionId, "tool");
    (await client.question()).answer(result);
    expect(await answer).toEqual({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toContain("That was a no");
  });

  it("takes an error for a no, and goes on", async () => {
    const { client } = demoWithLines();
    const sessionId = await client.begin();
    const answer = client.prompt(sessionId, "tool");
    (await client.question()).fail(-32601, "No such method.");
    expect(await answer).toEqual({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toContain("That was a no");
  });

  it("answers cancelled when the prompt is taken back", async () => {
    const { client } = demoWithLines(ENDLESS_MS);
    const sessionId = await client.begin();
    const requestId = client.nextId;
    const answer = client.prompt(sessionId, "slow");
    await client.sees(isChunk("Counting "));
    client.cancelRequest(requestId);
    expect(await answer).toEqual({ stopReason: "cancelled" });
  });

  it("is silent to a cancel when nothing runs, and the next turn is whole", async () => {
    const { client } = demoWithLines();
    const sessionId = await client.begin();
    client.cancel(sessionId);
    client.cancel("demo-nobody");
    expect(await client.prompt(sessionId, "plan")).toEqual({ stopReason: "end_turn" });
  });

  it("plays one turn at a time in a session, and several sessions side by side", async () => {
    const { client } = demoWithLines(UNHURRIED_MS);
    const first = await client.begin();
    const second = (await client.newSession()).sessionId;
    const counting = client.prompt(first, "slow 1000");
    await client.sees(isChunk("1 "));
    await expect(client.prompt(first, "plan")).rejects.toMatchObject({ code: -32600 });
    expect(await client.prompt(second, "slow 3")).toEqual({ stopReason: "end_turn" });
    client.cancel(first);
    expect(await counting).toEqual({ stopReason: "cancelled" });
  });

  it("does not take the words of an attached file for the person's, and says that it cannot read it", async () => {
    const { client } = demoWithLines();
    const sessionId = await client.begin();
    await client.prompt(sessionId, "plan");
    const since = client.messages.length;
    await client.promptWith(sessionId, [
      { type: "text", text: "Look at this" },
      { type: "resource_link", name: "slow error", uri: "file:///slow" },
    ]);
    expect(client.texts(sessionId, since)).toContain("You said: “Look at this”");
    expect(client.texts(sessionId, since)).toContain("I cannot read what came with it");
  });

  it("says back no more than the beginning of a long prompt", async () => {
    const { client } = demoWithLines();
    const sessionId = await client.begin();
    await client.prompt(sessionId, "plan");
    const since = client.messages.length;
    await client.prompt(sessionId, "🙂".repeat(1000));
    expect(client.texts(sessionId, since)).toContain(`“${"🙂".repeat(400)}…”`);
  });

  it("takes up a session that another process began, and one of no demo agent not", async () => {
    const before = demoWithLines();
    const sessionId = await before.client.begin();
    const { client } = demoWithLines();
    await client.initialize();
    expect(await client.resume(sessionId)).toMatchObject({ modes: { currentModeId: "ask" } });
    await client.sees(({ params }) => JSON.stringify(params ?? null).includes("available_commands_update"));
    await client.prompt(sessionId, "Where were we?");
    expect(client.texts(sessionId)).toContain("You said: “Where were we?”");
    await expect(client.resume("1234")).rejects.toMatchObject({ code: -32002 });
  });

  it("answers the prompt under way before the close that ended it", async () => {
    const { client } = demoWithLines(ENDLESS_MS);
    const sessionId = await client.begin();
    const answered: string[] = [];
    const prompt = client.prompt(sessionId, "slow").then(({ stopReason }) => answered.push(stopReason));
    await client.sees(isChunk("Counting "));
    const close = client.closeSession(sessionId).then(() => answered.push("closed"));
    await Promise.all([prompt, close]);
    expect(answered).toEqual(["cancelled", "closed"]);
    await expect(client.prompt(sessionId, "plan")).rejects.toMatchObject({ code: -32002 });
  });

  it.each([
    ["a mode that there is not", "session/set_mode", { modeId: "yolo" }, -32602],
    ["a prompt that is no list", "session/prompt", { prompt: "plan" }, -32602],
    ["a method that it does not have", "session/load", { cwd: "/", mcpServers: [] }, -32601],
  ])("refuses %s", async (_, method, params, code) => {
    const { client } = demoWithLines();
    const sessionId = await client.begin();
    await expect(client.request(method, { sessionId, ...params })).rejects.toMatchObject({ code });
  });

  it("exits by itself when stdin ends, also in the middle of a turn and with a question open", async () => {
    for (const word of ["slow", "tool"]) {
      const { client, child, exited } = demoWithLines();
      const sessionId = await client.begin();
      client.prompt(sessionId, word).catch(() => {});
      await client.sees(
        word === "slow" ? isChunk("1 ") : ({ method }) => method === "session/request_permission",
      );
      child.stdin.end();
      expect(await exited).toBe(0);
    }
  });

  it("refuses a pace that is none, with a sentence and a code", async () => {
    const child = startDemo("--pace", "fast");
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    const [code] = await once(child, "close");
    expect(code).toBe(2);
    expect(stderr).toBe("demo agent: --pace fast is no pace: write milliseconds from 0 to 60000.\n");
  });
});

import { hasToolCall, stepCountIs, tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type AiAgentOptions, aiAgent } from "../../../src/agents/host/ai.ts";
import { lastingMemory } from "../../../src/agents/host/memory.ts";
import { realDisk } from "../../../src/ground/disk.ts";
import { Latch } from "../../doubles/latch.ts";
import { temporaryFolder } from "../../doubles/temporary-folder.ts";
import { hosted, opened } from "./hosted.ts";
import { call, finish, model, reasoning, text } from "./model.ts";

const add = tool({
  description: "Adds",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});

async function prompted(options: AiAgentOptions, words = "hello") {
  const { client, sessionId } = await opened(aiAgent(options));
  const outcome = await client.prompt(sessionId, words).catch((error: unknown) => error);
  return { client, sessionId, outcome, updates: client.updates(sessionId) };
}

const told = (updates: readonly object[]): unknown[] =>
  updates.map((update) => {
    const { sessionUpdate, status } = Object(update);
    return status === undefined ? sessionUpdate : `${sessionUpdate} ${status}`;
  });

describe("what a model streams is shown as it comes", () => {
  it("text, reasoning, files and sources, in this order", async () => {
    const { updates, outcome } = await prompted({
      model: model([
        ...reasoning("hm, ", "well"),
        ...text("Hel", "lo"),
        { type: "file", mediaType: "image/png", data: "iVBORw0KGgo=" },
        { type: "source", sourceType: "url", id: "s", url: "https://a.test/x", title: "X" },
        finish("stop"),
      ]),
      contextWindow: 1000,
    });
    expect(outcome).toEqual({ stopReason: "end_turn" });
    expect(updates).toMatchObject([
      { sessionUpdate: "agent_thought_chunk", content: { text: "hm, " } },
      { sessionUpdate: "agent_thought_chunk", content: { text: "well" } },
      { sessionUpdate: "agent_message_chunk", content: { text: "Hel" } },
      { sessionUpdate: "agent_message_chunk", content: { text: "lo" } },
      {
        sessionUpdate: "agent_message_chunk",
        content: { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" },
      },
      {
        sessionUpdate: "agent_message_chunk",
        content: { type: "resource_link", uri: "https://a.test/x", name: "X", title: "X" },
      },
      { sessionUpdate: "usage_update", used: 15, size: 1000 },
    ]);
  });

  it("[K-133] a tool's call is pending, then in progress, then completed, and announced once", async () => {
    const { updates, outcome } = await prompted({
      model: model(
        [
          { type: "tool-input-start", id: "c1", toolName: "add" },
          { type: "tool-input-delta", id: "c1", delta: '{"a":1,"b":2}' },
          { type: "tool-input-end", id: "c1" },
          call("c1", "add", { a: 1, b: 2 }),
          finish("tool-calls"),
        ],
        [...text("It is 3"), finish("stop")],
      ),
      tools: { add },
      kinds: { add: "other" },
    });
    expect(outcome).toEqual({ stopReason: "end_turn" });
    expect(told(updates)).toEqual([
      "tool_call pending",
      "tool_call_update",
      "tool_call_update in_progress",
      "tool_call_update completed",
      "agent_message_chunk",
    ]);
    expect(updates[1]).toMatchObject({ toolCallId: "c1", rawInput: { a: 1, b: 2 } });
    expect(updates[3]).toMatchObject({ toolCallId: "c1", rawOutput: 3 });
  });

  it("tools that run side by side each have a call; one that fails says why, and the model goes on", async () => {
    const both = new Latch();
    let running = 0;
    const meet = tool({
      inputSchema: z.object({ who: z.string() }),
      execute: async ({ who }) => {
        running += 1;
        if (running === 2) both.open();
        await both.opened;
        if (who === "b") throw new Error("b is broken");
        return who;
      },
    });
    const { updates, outcome } = await prompted({
      model: model(
        [call("a", "meet", { who: "a" }), call("b", "meet", { who: "b" }), finish("tool-calls")],
        [...text("Done"), finish("stop")],
      ),
      tools: { meet },
    });
    expect(outcome).toEqual({ stopReason: "end_turn" });
    const of = (id: string) => told(updates.filter((update) => Object(update).toolCallId === id));
    expect(of("a")).toEqual([
      "tool_call pending",
      "tool_call_update in_progress",
      "tool_call_update completed",
    ]);
    expect(of("b")).toEqual(["tool_call pending", "tool_call_update in_progress", "tool_call_update failed"]);
    expect(updates.find((update) => Object(update).status === "failed")).toMatchObject({
      content: [{ content: { text: "b is broken" } }],
    });
  });

  it("[K-132] a tool that streams its answer, or that the provider runs, is in progress until its last word", async () => {
    const slow = tool({
      inputSchema: z.object({}),
      async *execute() {
        yield "half";
        yield "whole";
      },
    });
    const { updates } = await prompted({
      model: model(
        [
          call("own", "slow", {}),
          {
            type: "tool-call",
            toolCallId: "theirs",
            toolName: "search",
            input: "{}",
            providerExecuted: true,
            dynamic: true,
          },
          {
            type: "tool-result",
            toolCallId: "theirs",
            toolName: "search",
            result: { found: 1 },
            dynamic: true,
          },
          finish("tool-calls"),
        ],
        [...text("ok"), finish("stop")],
      ),
      tools: { slow },
    });
    const of = (id: string) => updates.filter((update) => Object(update).toolCallId === id);
    expect(told(of("own"))).toEqual([
      "tool_call pending",
      "tool_call_update in_progress",
      "tool_call_update in_progress",
      "tool_call_update in_progress",
      "tool_call_update completed",
    ]);
    expect(of("own").at(-1)).toMatchObject({ rawOutput: "whole" });
    expect(told(of("theirs"))).toEqual(["tool_call pending", "tool_call_update completed"]);
    expect(of("theirs").at(-1)).toMatchObject({ rawOutput: { found: 1 } });
  });

  it("a tool that the model has not is a failed call, and no end", async () => {
    const { updates, outcome } = await prompted({
      model: model([call("c", "nothing", {}), finish("tool-calls")], [...text("Oh"), finish("stop")]),
      tools: { add },
    });
    expect(outcome).toEqual({ stopReason: "end_turn" });
    expect(told(updates)).toEqual(["tool_call pending", "tool_call_update failed", "agent_message_chunk"]);
  });

  it("nothing by itself when that is switched off: each part is heard, and updates can be sent", async () => {
    const heard: unknown[] = [];
    const { updates } = await prompted({
      model: model(
        [call("c", "add", { a: 1, b: 1 }), finish("tool-calls")],
        [...text("Two"), finish("stop")],
      ),
      tools: { add },
      defaultNotifications: false,
      onPart: async ({ type }, turn) => {
        heard.push(type);
        if (type === "finish") await turn.sendUpdate({ sessionUpdate: "plan", entries: [] });
      },
    });
    expect(updates).toEqual([{ sessionUpdate: "plan", entries: [] }]);
    expect(heard).toContain("tool-call");
    expect(heard).toContain("tool-result");
    expect(heard).toContain("text-delta");
  });
});

describe("how a turn ends", () => {
  it.each([
    ["stop", "end_turn"],
    ["length", "max_tokens"],
    ["content-filter", "refusal"],
    ["other", "end_turn"],
  ] as const)("%s is %s", async (reason, stopReason) => {
    const { outcome } = await prompted({ model: model([...text("x"), finish(reason)]) });
    expect(outcome).toEqual({ stopReason });
  });

  it("[K-65] at a limit of steps with max_turn_requests; at a tool that ends a turn, at its end", async () => {
    const steps = () =>
      model(
        [call("c", "add", { a: 1, b: 1 }), finish("tool-calls")],
        [call("d", "add", { a: 1, b: 1 }), finish("tool-calls")],
      );
    const limited = await prompted({ model: steps(), tools: { add }, stopWhen: stepCountIs(2) });
    expect(limited.outcome).toEqual({ stopReason: "max_turn_requests" });
    const ended = await prompted({
      model: steps(),
      tools: { add },
      stopWhen: [stepCountIs(5), hasToolCall("add")],
    });
    expect(ended.outcome).toEqual({ stopReason: "end_turn" });
  });

  it("at its end when the model called a tool that nobody runs, whose call counts as failed", async () => {
    const shown = tool({ inputSchema: z.object({}), outputSchema: z.string() });
    const { outcome, updates } = await prompted({
      model: model([call("c", "shown", {}), finish("tool-calls")]),
      tools: { shown },
    });
    expect(outcome).toEqual({ stopReason: "end_turn" });
    expect(told(updates)).toEqual(["tool_call pending", "tool_call_update failed"]);
  });

  it("with the model's error as the answer, and never as text", async () => {
    const failing = model([]);
    failing.doStream = () => Promise.reject(new Error("out of credit"));
    const { outcome, updates } = await prompted({ model: failing, maxRetries: 0 });
    expect(outcome).toMatchObject({ code: -32603, message: expect.stringContaining("out of credit") });
    expect(updates).toEqual([]);
    const midway = await prompted({
      model: model([...text("so far"), { type: "error", error: new Error("cut off") }, finish("error")]),
    });
    expect(midway.outcome).toMatchObject({ message: expect.stringContaining("cut off") });
    const silent = await prompted({ model: model([finish("error")]) });
    expect(silent.outcome).toMatchObject({ message: expect.stringContaining("did not say which") });
  });

  it("cancelled, when that reaches the model's call and the tool that runs", async () => {
    const reached = new Latch();
    const stopped: string[] = [];
    const wait = tool({
      inputSchema: z.object({}),
      execute: (_, { abortSignal }) =>
        new Promise((_, reject) => {
          reached.open();
          abortSignal?.addEventListener("abort", () => {
            stopped.push("tool");
            reject(new Error("stopped"));
          });
        }),
    });
    const { client, sessionId } = await opened(
      aiAgent({
        model: model([...text("wait"), call("c", "wait", {}), finish("tool-calls")]),
        tools: { wait },
      }),
    );
    const answer = client.prompt(sessionId, "hello");
    await reached.opened;
    client.cancel(sessionId);
    expect(await answer).toEqual({ stopReason: "cancelled" });
    expect(stopped).toEqual(["tool"]);
    expect(told(client.updates(sessionId)).at(-1)).toBe("tool_call_update failed");

    const asked = new Latch();
    const silent = model([]);
    silent.doStream = ({ abortSignal }) =>
      new Promise((_, reject) => {
        asked.open();
        abortSignal?.addEventListener("abort", () => {
          stopped.push("model");
          reject(new DOMException("stopped", "AbortError"));
        });
      });
    const second = await opened(aiAgent({ model: silent }));
    const other = second.client.prompt(second.sessionId, "hello");
    await asked.opened;
    second.client.cancel(second.sessionId);
    expect(await other).toEqual({ stopReason: "cancelled" });
    expect(stopped).toEqual(["tool", "model"]);
  });
});

describe("a tool that needs approval", () => {
  const risky = tool({
    inputSchema: z.object({ path: z.string() }),
    needsApproval: true,
    execute: ({ path }) => `deleted ${path}`,
  });
  const steps = () => [
    [call("c1", "risky", { path: "/a" }), finish("tool-calls" as const)],
    [...text("ok"), finish("stop" as const)],
  ];

  it("is asked for on its call, and runs when it was allowed", async () => {
    const { client, sessionId } = await opened(aiAgent({ model: model(...steps()), tools: { risky } }));
    const answer = client.prompt(sessionId, "delete");
    const question = await client.question();
    expect(question.params).toMatchObject({
      toolCall: { toolCallId: "c1", title: "risky", rawInput: { path: "/a" } },
      options: [{ optionId: "allow" }, { optionId: "allow_always" }, { optionId: "reject" }],
    });
    expect(told(client.updates(sessionId))).toEqual(["tool_call pending"]);
    question.select("allow");
    expect(await answer).toEqual({ stopReason: "end_turn" });
    expect(told(client.updates(sessionId))).toEqual([
      "tool_call pending",
      "tool_call_update in_progress",
      "tool_call_update completed",
      "agent_message_chunk",
    ]);
  });

  it("does not run when it was refused, which the model is told", async () => {
    const asked = model(...steps());
    const { client, sessionId } = await opened(aiAgent({ model: asked, tools: { risky } }));
    const answer = client.prompt(sessionId, "delete");
    (await client.question()).select("reject");
    expect(await answer).toEqual({ stopReason: "end_turn" });
    expect(told(client.updates(sessionId))).toEqual([
      "tool_call pending",
      "tool_call_update failed",
      "agent_message_chunk",
    ]);
    expect(JSON.stringify(asked.doStreamCalls[1]?.prompt)).toContain("execution-denied");
  });

  it("is not asked for again in a session where it was allowed for good", async () => {
    const { client, sessionId } = await opened(
      aiAgent({ model: model(...steps(), ...steps()), tools: { risky } }),
    );
    const first = client.prompt(sessionId, "delete");
    (await client.question()).select("allow_always");
    await first;
    expect(await client.prompt(sessionId, "delete")).toEqual({ stopReason: "end_turn" });
  });

  it("that is cancelled while it is asked for leaves a conversation that goes on", async () => {
    const asked = model(steps()[0] ?? [], [...text("fine"), finish("stop")]);
    const { client, sessionId } = await opened(aiAgent({ model: asked, tools: { risky } }));
    const first = client.prompt(sessionId, "delete");
    await client.question();
    client.cancel(sessionId);
    expect(await first).toEqual({ stopReason: "cancelled" });
    expect(await client.prompt(sessionId, "go on")).toEqual({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("fine");
  });
});

describe("the conversation", () => {
  it("is told to the model again with each prompt, tools included, and over a restart", async () => {
    const folder = temporaryFolder();
    const first = model(
      [call("c", "add", { a: 1, b: 2 }), finish("tool-calls")],
      [...text("three"), finish("stop")],
    );
    const one = await opened(aiAgent({ model: first, tools: { add } }), lastingMemory(folder, realDisk));
    await one.client.promptWith(one.sessionId, [
      { type: "text", text: "what is this?" },
      { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
    ]);
    const second = model([...text("yes"), finish("stop")]);
    const other = hosted(aiAgent({ model: second, system: "Be brief.", tools: { add } }), {
      memory: lastingMemory(folder, realDisk),
    });
    await other.initialize();
    await other.resume(one.sessionId);
    await other.prompt(one.sessionId, "sure?");
    const prompt = second.doStreamCalls[0]?.prompt ?? [];
    expect(prompt.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
    expect(prompt[1]).toMatchObject({
      content: [{ text: "what is this?" }, { type: "file", mediaType: "image/png", data: "iVBORw0KGgo=" }],
    });
    expect(prompt[3]).toMatchObject({
      content: [{ type: "tool-result", toolCallId: "c", output: { value: 3 } }],
    });
  });

  it("keeps what was said of a turn that failed or was cancelled midway", async () => {
    const asked = model(
      [...text("so far"), { type: "error", error: new Error("cut off") }],
      [...text("yes"), finish("stop")],
    );
    const { client, sessionId } = await opened(aiAgent({ model: asked }));
    await client.prompt(sessionId, "hello").catch(() => {});
    await client.prompt(sessionId, "go on");
    expect(asked.doStreamCalls[1]?.prompt).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [{ text: "so far" }] },
      { role: "user" },
    ]);
  });

  it("is the author's to stream: anything with a fullStream will do", async () => {
    const seen: unknown[] = [];
    async function* parts() {
      yield { type: "text-delta", id: "1", text: "own" };
      yield { type: "something-new" };
      yield { type: "finish", finishReason: "tool-calls" };
    }
    const agent = aiAgent({
      name: "own",
      stream: ({ messages }) => {
        seen.push(messages.length);
        return {
          fullStream: parts(),
          response: Promise.resolve({ messages: [{ role: "assistant", content: "own" }] }),
        };
      },
    });
    const { client, sessionId } = await opened(agent);
    expect(await client.prompt(sessionId, "one")).toEqual({ stopReason: "max_turn_requests" });
    await client.prompt(sessionId, "two");
    expect(seen).toEqual([1, 3]);
    expect(client.texts(sessionId)).toBe("ownown");
  });

  it("[K-135] refuses a block that models are not told of, by its name", async () => {
    const { client, sessionId } = await opened(aiAgent({ model: model() }));
    const video = { type: "video", data: "AAAA", mimeType: "video/mp4" };
    await expect(client.request("session/prompt", { sessionId, prompt: [video] })).rejects.toMatchObject({
      code: -32602,
      message: 'A block of type "video" has no counterpart in the AI SDK.',
    });
  });
});

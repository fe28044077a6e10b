import { APICallError, type ModelMessage, RetryError, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { AgentDefinition } from "../../../src/agents/host/agent-definition.ts";
import { type AiAgentOptions, aiAgent, type ModelOptions } from "../../../src/agents/host/ai.ts";
import { HandClock } from "../../../src/ground/clock.ts";
import { Latch } from "../../doubles/latch.ts";
import { hosted, opened } from "./hosted.ts";
import { call, finish, model, text } from "./model.ts";

const circular: { self?: unknown } = {};
circular.self = circular;

/** Two prompts of a session: what the first came to, and what the model was told by the second. */
async function twice(options: AiAgentOptions & { model: MockLanguageModelV3 }) {
  const { client, sessionId } = await opened(aiAgent(options));
  const outcome = await client.prompt(sessionId, "one").catch((error: unknown) => error);
  const updates = client.updates(sessionId);
  const again = await client.prompt(sessionId, "two").catch((error: unknown) => error);
  return {
    client,
    sessionId,
    outcome,
    updates,
    again,
    told: JSON.stringify(options.model.doStreamCalls.at(-1)?.prompt),
  };
}

const using = (input: object = {}) => [
  [call("c", "odd", input), finish("tool-calls" as const)],
  [...text("so"), finish("stop" as const)],
  [...text("yes"), finish("stop" as const)],
];

const answering = (execute: () => unknown) => ({ odd: tool({ inputSchema: z.object({}), execute }) });

const answeringTools = { tools: answering(() => 1) };

const end = { stopReason: "end_turn" };

describe("a model's tool", () => {
  it.each([
    ["a function", () => () => {}, /The tool odd answered what JSON cannot hold: function is no value/],
    ["a circle", () => circular, /The tool odd answered what JSON cannot hold: .*circular/],
    ["a BigInt", () => ({ big: 1n }), /The tool odd answered what JSON cannot hold: .*BigInt/],
    [
      "a circle in parts",
      async function* () {
        yield circular;
      },
      /what JSON cannot hold/,
    ],
  ])(
    "that answers %s has failed, which the model and the client are told; the conversation goes on",
    async (_, execute, words) => {
      const { outcome, updates, again, told } = await twice({
        model: model(...using()),
        tools: answering(execute),
      });
      expect([outcome, again]).toEqual([end, end]);
      expect(updates.filter((update) => Object(update).status === "failed")).toMatchObject([
        { toolCallId: "c", content: [{ content: { text: expect.stringMatching(words) } }] },
      ]);
      expect(told).toMatch(words);
    },
  );

  it.each([
    ["undefined", () => undefined],
    ["null", () => null],
    ["a date", () => ({ at: new Date(0) })],
    ["bytes", () => new Uint8Array([1, 2])],
    ["nothing in parts", async function* () {}],
  ])("that answers %s is done, and the conversation goes on", async (_, execute) => {
    const { outcome, updates, again } = await twice({ model: model(...using()), tools: answering(execute) });
    expect([outcome, again]).toEqual([end, end]);
    expect(updates.at(-2)).toMatchObject({ toolCallId: "c", status: "completed" });
  });

  it.each([
    ["undefined", undefined],
    ["null", null],
    ["an object", { why: "no" }],
  ])("that throws %s has failed, and the conversation goes on", async (_, thrown) => {
    const tools = answering(() => {
      throw thrown;
    });
    const { outcome, updates, again } = await twice({ model: model(...using()), tools });
    expect([outcome, again]).toEqual([end, end]);
    expect(updates.at(-2)).toMatchObject({ toolCallId: "c", status: "failed" });
  });

  it("that makes its own words for the model may answer anything; the client gets it in words", async () => {
    const odd = tool({
      inputSchema: z.object({}),
      execute: () => ({ big: 1n }),
      toModelOutput: () => ({ type: "text" as const, value: "one" }),
    });
    const { outcome, updates, again } = await twice({ model: model(...using()), tools: { odd } });
    expect([outcome, again]).toEqual([end, end]);
    expect(updates.at(-2)).toMatchObject({ status: "completed", rawOutput: "{ big: 1n }" });
  });

  it("whose output is longer than a line is done; the model has it, the client is told how long it is", async () => {
    const { outcome, updates, told } = await twice({
      model: model(...using()),
      tools: answering(() => "x".repeat(1_100_000)),
    });
    expect(outcome).toEqual(end);
    expect(updates.at(-2)).toMatchObject({
      status: "completed",
      content: [
        { content: { text: expect.stringMatching(/^The output is too long to be shown: \d+ bytes\.$/) } },
      ],
    });
    expect(told).toHaveLength(told.length);
    expect(told).toContain("x".repeat(1_100_000));
  });

  it("that is called with what it does not take is not run, has failed in words, and the model goes on", async () => {
    const ran: unknown[] = [];
    const odd = tool({
      inputSchema: z.object({ path: z.string() }),
      execute: (input) => void ran.push(input),
    });
    const broken = { type: "tool-call" as const, toolCallId: "c", toolName: "odd", input: "{not json" };
    for (const bad of [call("c", "odd", { path: 5 }), broken]) {
      const [, ...rest] = using();
      const asked = model([bad, finish("tool-calls")], ...rest);
      const { outcome, updates, again } = await twice({ model: asked, tools: { odd } });
      expect([outcome, again]).toEqual([end, end]);
      expect(updates.filter((update) => Object(update).status === "failed")).toHaveLength(1);
    }
    expect(ran).toEqual([]);
  });

  it("[K-132] that the provider runs and that fails there has failed", async () => {
    const theirs = { toolCallId: "t", toolName: "code", providerExecuted: true, dynamic: true };
    const asked = model(
      [
        { type: "tool-call", input: "{}", ...theirs },
        { type: "tool-result", result: { exitCode: 1 }, isError: true, ...theirs },
        ...text("so"),
        finish("stop"),
      ],
      [...text("yes"), finish("stop")],
    );
    const { outcome, updates, again } = await twice({ model: asked });
    expect([outcome, again]).toEqual([end, end]);
    expect(updates.map((update) => Object(update).status)).toEqual(["pending", "failed", undefined]);
  });

  it("that hears no cancel is given up with its turn where no hall ends its process, and undoes nothing when it ends", async () => {
    const begun = new Latch();
    const late = new Latch();
    const tools = answering(() => {
      begun.open();
      return late.opened;
    });
    const clock = new HandClock();
    const asked = model(
      [call("c", "odd", {}), finish("tool-calls")],
      [...text("second"), finish("stop")],
      [...text("third"), finish("stop")],
    );
    const agent = aiAgent({ model: asked, tools });
    const ends: Promise<unknown>[] = [];
    const noted: AgentDefinition = {
      ...agent,
      prompt(turn) {
        const outcome = Promise.resolve(agent.prompt(turn)).then((reason) => reason ?? "end_turn");
        ends.push(outcome.catch(() => {}));
        return outcome;
      },
    };
    const client = hosted(noted, { clock, cancelGrace: 5_000 });
    const sessionId = await client.begin();
    const answer = client.prompt(sessionId, "one");
    await begun.opened;
    client.cancel(sessionId);
    await client.saidMeanwhile();
    clock.advance(5_000);
    expect(await answer).toEqual({ stopReason: "cancelled" });
    expect(client.updates(sessionId).at(-1)).toMatchObject({ toolCallId: "c", status: "failed" });
    expect(await client.prompt(sessionId, "two")).toEqual(end);
    late.open();
    await Promise.all(ends);
    expect(await client.prompt(sessionId, "three")).toEqual(end);
    expect(JSON.stringify(asked.doStreamCalls.at(-1)?.prompt)).toMatch(/two.*second.*three/);
  });

  it("that sends updates of its own is announced before them", async () => {
    const { client, sessionId } = await opened(
      aiAgent({
        model: model(...using()),
        tools: (turn) => ({
          odd: tool({
            inputSchema: z.object({}),
            title: "Odd",
            execute: (_, { toolCallId }) =>
              turn.sendUpdate({ sessionUpdate: "tool_call_update", toolCallId, title: "Reading" }),
          }),
        }),
      }),
    );
    await client.prompt(sessionId, "hello");
    expect(client.updates(sessionId)).toMatchObject([
      { sessionUpdate: "tool_call", toolCallId: "c", title: "Odd", rawInput: {} },
      { sessionUpdate: "tool_call_update", status: "in_progress" },
      { sessionUpdate: "tool_call_update", title: "Reading" },
      { sessionUpdate: "tool_call_update", status: "completed" },
      { sessionUpdate: "agent_message_chunk" },
    ]);
  });
});

describe("a model", () => {
  it.each([
    [400, "bad_request"],
    [401, "not_logged_in"],
    [404, "model_missing"],
    [429, "rate_limited"],
    [500, "provider_error"],
    [529, "overloaded"],
  ])("whose provider answers %d is an error that says which, and no login", async (statusCode, kind) => {
    const error = new APICallError({
      message: "The provider says no.",
      url: "http://127.0.0.1",
      requestBodyValues: { secret: "prompt" },
      statusCode,
      isRetryable: false,
    });
    for (const thrown of [
      error,
      new RetryError({ message: "The provider says no.", reason: "maxRetriesExceeded", errors: [error] }),
    ]) {
      const failing = new MockLanguageModelV3({ doStream: () => Promise.reject(thrown) });
      const { client, sessionId } = await opened(aiAgent({ model: failing, maxRetries: 0 }));
      await expect(client.prompt(sessionId, "hello")).rejects.toMatchObject({
        code: -32603,
        message: expect.stringContaining("The provider says no."),
        data: { kind, status: statusCode },
      });
      expect(JSON.stringify(client.messages)).not.toContain("secret");
    }
  });

  it.each<[string, (fail: () => never) => Partial<ModelOptions>]>([
    ["its system text", (fail) => ({ system: fail })],
    ["its tools", (fail) => ({ tools: fail })],
    ["what hears its parts", (fail) => ({ onPart: fail })],
    ["what ends it", (fail) => ({ stopWhen: fail })],
    [
      "what says whether a tool needs approval",
      (fail) => ({
        tools: { odd: tool({ inputSchema: z.object({}), needsApproval: fail, execute: () => 1 }) },
      }),
    ],
    [
      "what a tool tells the model",
      (fail) => ({
        tools: { odd: tool({ inputSchema: z.object({}), execute: () => 1, toModelOutput: fail }) },
      }),
    ],
  ])("whose author made a mistake in %s fails its turn, and the session goes on", async (_, options) => {
    let isBroken = true;
    const fail = (): never => {
      if (isBroken) throw new Error("a mistake");
      return undefined as never;
    };
    const asked = model(...using(), [...text("yes"), finish("stop")]);
    const { client, sessionId } = await opened(
      aiAgent({ model: asked, ...answeringTools, ...options(fail) }),
    );
    await expect(client.prompt(sessionId, "one")).rejects.toThrow("a mistake");
    for (const update of client.updates(sessionId).filter((one) => Object(one).status === "in_progress"))
      expect(client.updates(sessionId)).toContainEqual(
        expect.objectContaining({
          toolCallId: Object(update).toolCallId,
          status: expect.stringMatching(/^(completed|failed)$/),
        }),
      );
    isBroken = false;
    expect(await client.prompt(sessionId, "two")).toEqual(end);
  });

  it("that streams what there is not, or aborts by itself, or ends without a word, is no crash", async () => {
    async function* parts() {
      yield undefined;
      yield "text";
      yield { type: "tool-result" };
      yield { type: "source", sourceType: "document", id: "1", mediaType: "application/pdf", title: "P" };
      yield { type: "raw", rawValue: {} };
      yield { type: "abort" };
    }
    const own = await opened(aiAgent({ stream: () => ({ fullStream: parts() }) }));
    expect(await own.client.prompt(own.sessionId, "hello")).toEqual({ stopReason: "cancelled" });
    async function* nothing() {}
    const silent = await opened(aiAgent({ stream: () => ({ fullStream: nothing() }) }));
    expect(await silent.client.prompt(silent.sessionId, "hello")).toEqual(end);
  });

  it("that answers what is no message once it was kept poisons no later prompt: the texts of that turn are told again", async () => {
    const seen: unknown[] = [];
    async function* parts() {
      yield { type: "text-delta", id: "1", text: "x" };
    }
    const odd = {
      type: "tool-result",
      toolCallId: "c",
      toolName: "odd",
      output: { type: "json", value: 1n },
    };
    const agent = aiAgent({
      stream: ({ messages }) => {
        seen.push(...messages.slice(seen.length));
        return {
          fullStream: parts(),
          response: Promise.resolve({
            messages: [
              { role: "assistant", content: [{ type: "text", text: "I did." }] },
              // What a module in JavaScript may well answer.
              { role: "tool", content: [odd] } as unknown as ModelMessage,
            ],
          }),
        };
      },
    });
    const { client, sessionId } = await opened(agent);
    for (const words of ["one", "two"]) expect(await client.prompt(sessionId, words)).toEqual(end);
    expect(seen).toMatchObject([
      { role: "user" },
      { role: "assistant", content: "I did." },
      { role: "user", content: [{ text: "two" }] },
    ]);
  });

  it("that sends a video is an error with a name, and the session goes on", async () => {
    const { outcome, again } = await twice({
      model: model(
        [{ type: "file", mediaType: "video/mp4", data: "AAAA" }, finish("stop")],
        [...text("yes"), finish("stop")],
      ),
    });
    expect(outcome).toMatchObject({ message: "A file of type video/mp4 has no counterpart in ACP." });
    expect(again).toEqual(end);
  });
});

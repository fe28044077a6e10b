import { describe, expect, it } from "vitest";
import { defineAgent, type Turn } from "../../../src/agents/host/define.ts";
import { Latch } from "../../doubles/latch.ts";
import { hosted, opened } from "./hosted.ts";

const agent = (prompt: (turn: Turn) => unknown) =>
  defineAgent({
    name: "test",
    async prompt(turn) {
      await prompt(turn);
    },
  });

const kinds = (updates: { sessionUpdate: string }[]): string[] =>
  updates.map(({ sessionUpdate }) => sessionUpdate);

describe("an agent that is a function", () => {
  it("[NG-19] introduces itself, and takes images, audio and files unless it says otherwise", async () => {
    const { agentInfo, agentCapabilities } = await hosted(
      defineAgent({
        name: "reader",
        title: "Reader",
        version: "2",
        accepts: { audio: false },
        prompt: () => {},
      }),
    ).initialize();
    expect(agentInfo).toEqual({ name: "reader", title: "Reader", version: "2" });
    expect(agentCapabilities).toEqual({
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { close: {}, delete: {}, additionalDirectories: {} },
    });
  });

  it("[K-64] ends its turn with a stop reason of ACP, or with nothing; anything else is an error that says how to speak", async () => {
    const returning = (value: unknown) =>
      opened(
        defineAgent({
          name: "test",
          // What a module in JavaScript may well do.
          prompt: (() => value) as () => undefined,
        }),
      );
    for (const [value, stopReason] of [
      [undefined, "end_turn"],
      [null, "end_turn"],
      ["refusal", "refusal"],
    ]) {
      const { client, sessionId } = await returning(value);
      expect(await client.prompt(sessionId, "hello")).toEqual({ stopReason });
    }
    for (const value of ["Here is my answer", 42, {}, () => {}]) {
      const { client, sessionId } = await returning(value);
      await expect(client.prompt(sessionId, "hello")).rejects.toThrow(/no stop reason.*turn\.say\(\)/);
    }
  });

  it("speaks, thinks, plans and uses tools, in this order, before its turn ends", async () => {
    const { client, sessionId } = await opened(
      agent(async (turn) => {
        turn.think("hm");
        turn.plan(["look", { content: "say", status: "in_progress", priority: "high" }]);
        const call = turn.tool({
          title: "Look",
          kind: "read",
          input: { path: "/a" },
          locations: [{ path: "/a" }],
        });
        call.runs();
        call.done("seen");
        await turn.say(`You said ${turn.text}`);
        turn.say("");
        turn.say({ type: "image", data: "AAAA", mimeType: "image/png" });
        turn.update({ sessionUpdate: "current_mode_update", currentModeId: "any" });
      }),
    );
    expect(await client.prompt(sessionId, "hello")).toEqual({ stopReason: "end_turn" });
    const updates = client.updates(sessionId);
    expect(kinds(updates)).toEqual([
      "agent_thought_chunk",
      "plan",
      "tool_call",
      "tool_call_update",
      "tool_call_update",
      "agent_message_chunk",
      "agent_message_chunk",
      "current_mode_update",
    ]);
    expect(updates[1]).toMatchObject({
      entries: [
        { content: "look", status: "pending", priority: "medium" },
        { content: "say", status: "in_progress", priority: "high" },
      ],
    });
    expect(updates[4]).toMatchObject({ status: "completed", rawOutput: "seen" });
    expect(client.texts(sessionId)).toBe("You said hello");
  });

  it("reads a prompt as one text: links as links, embedded text as it is, a blob as a link, no images", async () => {
    const seen: Turn[] = [];
    const { client, sessionId } = await opened(agent((turn) => seen.push(turn)));
    const prompt = [
      { type: "text" as const, text: "look  at" },
      { type: "resource_link" as const, uri: "file:///a/b.ts", name: "b.ts" },
      { type: "resource" as const, resource: { uri: "file:///c.md", text: "# C" } },
      { type: "resource" as const, resource: { uri: "file:///d.bin", blob: "AAAA" } },
      { type: "image" as const, data: "AAAA", mimeType: "image/png" },
      { type: "audio" as const, data: "AAAA", mimeType: "audio/wav" },
    ];
    await client.promptWith(sessionId, prompt);
    expect(seen.at(-1)?.text).toBe("look  at [b.ts](file:///a/b.ts) # C [d.bin](file:///d.bin)");
    expect(seen.at(-1)?.blocks).toEqual(prompt);
    await client.promptWith(sessionId, prompt.slice(4));
    expect(seen.at(-1)?.text).toBe("");
  });

  it("ends its turn with the reason that it answers", async () => {
    const { client, sessionId } = await opened(defineAgent({ name: "test", prompt: () => "refusal" }));
    expect(await client.prompt(sessionId, "hello")).toEqual({ stopReason: "refusal" });
  });

  it("has a thrown error for an answer, with the line of its own, and goes on", async () => {
    let turns = 0;
    const { client, sessionId } = await opened(
      agent(() => {
        if (turns++ === 0) throw new TypeError("no such thing");
      }),
    );
    await expect(client.prompt(sessionId, "hello")).rejects.toMatchObject({
      code: -32603,
      message: expect.stringMatching(/^no such thing \(define\.test\.ts:\d+:\d+\)$/),
      data: { name: "TypeError", place: expect.stringMatching(/^define\.test\.ts:\d+/) },
    });
    expect(client.texts(sessionId)).toBe("");
    expect(await client.prompt(sessionId, "again")).toEqual({ stopReason: "end_turn" });
  });

  it("leaves no tool call open, and says nothing after its turn", async () => {
    const late = new Latch();
    const { client, sessionId } = await opened(
      agent((turn) => {
        turn.tool({ title: "Forgotten" });
        if (turn.text === "hello") void late.opened.then(() => turn.say("too late"));
      }),
    );
    await client.prompt(sessionId, "hello");
    expect(client.updates(sessionId).at(-1)).toMatchObject({
      sessionUpdate: "tool_call_update",
      status: "failed",
    });
    late.open();
    await client.prompt(sessionId, "again");
    expect(client.texts(sessionId)).toBe("");
  });

  it("plays one turn at a time in a session, and prompts that wait in their order", async () => {
    const gate = new Latch();
    const said: string[] = [];
    const { client, sessionId } = await opened(
      agent(async (turn) => {
        said.push(`begin ${turn.text}`);
        await gate.opened;
        said.push(`end ${turn.text}`);
      }),
    );
    const answers = ["one", "two", "three"].map((text) => client.prompt(sessionId, text));
    gate.open();
    await Promise.all(answers);
    expect(said).toEqual(["begin one", "end one", "begin two", "end two", "begin three", "end three"]);
  });

  it("takes no more than 16 prompts that wait", async () => {
    const gate = new Latch();
    const { client, sessionId } = await opened(agent(() => gate.opened));
    const answers = Array.from({ length: 17 }, () => client.prompt(sessionId, "hello"));
    await expect(client.prompt(sessionId, "one too many")).rejects.toMatchObject({
      data: { kind: "queue_full", limit: 16 },
    });
    gate.open();
    await Promise.all(answers);
  });
});

describe("a cancel", () => {
  it("[NG-69, NG-74] aborts the signal; whatever the turn comes to then, it was cancelled, and prompts that wait never run", async () => {
    const begun = new Latch();
    let turns = 0;
    const { client, sessionId } = await opened(
      agent(async ({ signal }) => {
        turns += 1;
        begun.open();
        await new Promise((_, reject) =>
          signal.addEventListener("abort", () => reject(new Error("also broken"))),
        );
      }),
    );
    const answers = [client.prompt(sessionId, "one"), client.prompt(sessionId, "two")];
    await begun.opened;
    client.cancel(sessionId);
    client.cancel(sessionId);
    expect(await Promise.all(answers)).toEqual([{ stopReason: "cancelled" }, { stopReason: "cancelled" }]);
    expect(turns).toBe(1);
  });

  it("of an idle session is nothing, and never a later turn's fault", async () => {
    const { client, sessionId } = await opened(agent((turn) => turn.say("fine")));
    client.cancel(sessionId);
    expect(await client.prompt(sessionId, "hello")).toEqual({ stopReason: "end_turn" });
  });

  it("takes an open question back, and the turn is over", async () => {
    const { client, sessionId } = await opened(agent((turn) => turn.ask({ title: "May I?" })));
    const answer = client.prompt(sessionId, "hello");
    const question = await client.question();
    client.cancel(sessionId);
    expect(await answer).toEqual({ stopReason: "cancelled" });
    expect(client.messages).toContainEqual(
      expect.objectContaining({ method: "$/cancel_request", params: { requestId: question.id } }),
    );
    expect(client.updates(sessionId).at(-1)).toMatchObject({ status: "failed" });
  });

  it("of one prompt leaves the others, and a close cancels what runs before it is answered", async () => {
    const begun = new Latch();
    const { client, sessionId } = await opened(
      agent(async ({ signal }) => {
        begun.open();
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      }),
    );
    const first = client.prompt(sessionId, "one");
    await begun.opened;
    const order: string[] = [];
    void first.then(() => order.push("prompt"));
    await client.closeSession(sessionId).then(() => order.push("close"));
    expect(order).toEqual(["prompt", "close"]);
    await expect(client.prompt(sessionId, "more")).rejects.toMatchObject({ code: -32002 });
  });
});

describe("a question", () => {
  const asking = (answers: (string | null)[], options = {}) =>
    agent(
      async (turn) =>
        void answers.push(await turn.ask({ title: "May I?", kind: "edit", input: { a: 1 }, ...options })),
    );

  it("is shown as a tool call first, and answers the option that was chosen", async () => {
    const answers: (string | null)[] = [];
    const { client, sessionId } = await opened(asking(answers));
    const turn = client.prompt(sessionId, "hello");
    const { params, select } = await client.question();
    expect(params.options.map(({ optionId, kind }) => [optionId, kind])).toEqual([
      ["allow", "allow_once"],
      ["reject", "reject_once"],
    ]);
    const [shown] = client.updates(sessionId);
    expect(shown).toMatchObject({ title: "May I?", kind: "edit", status: "pending", rawInput: { a: 1 } });
    expect(shown).toMatchObject({ toolCallId: params.toolCall.toolCallId });
    select("allow");
    await turn;
    expect(answers).toEqual(["allow"]);
    expect(kinds(client.updates(sessionId))).toEqual(["tool_call", "tool_call_update"]);
    expect(client.updates(sessionId).at(-1)).toMatchObject({ status: "completed" });
  });

  it("is refused by a rejecting option, a cancel, an error, and an option that was not offered", async () => {
    const answers: (string | null)[] = [];
    const { client, sessionId } = await opened(asking(answers));
    for (const answer of ["reject", "cancel", "error", "foreign"]) {
      const turn = client.prompt(sessionId, "hello");
      const question = await client.question();
      if (answer === "cancel") question.cancel();
      else if (answer === "error") question.fail(-32603, "no");
      else question.select(answer);
      await turn;
      expect(client.updates(sessionId).at(-1)).toMatchObject({ status: "failed" });
    }
    expect(answers).toEqual([null, null, null, null]);
  });
});

describe("what the client does for an agent", () => {
  it("reads and writes files, and runs a command that is released with the turn", async () => {
    const found: unknown[] = [];
    const { client, sessionId } = await opened(
      agent(async (turn) => {
        found.push(await turn.readFile("notes.txt", { line: 2, limit: 1 }));
        await turn.writeFile("/abs/out.txt", "text");
        const terminal = await turn.terminal("make", { args: ["all"], env: { A: "1" } });
        found.push(await terminal.exited(), await terminal.output());
        await terminal.kill();
      }),
    );
    const asked: unknown[] = [];
    client.answerWith(({ method, params }) => {
      asked.push([method, params]);
      switch (method) {
        case "fs/read_text_file":
          return { content: "second line" };
        case "terminal/create":
          return { terminalId: "t1" };
        case "terminal/wait_for_exit":
          return { exitCode: 3, signal: null };
        case "terminal/output":
          return { output: "out", truncated: false, exitStatus: { exitCode: 3 } };
        default:
          return {};
      }
    });
    await client.prompt(sessionId, "hello");
    expect(found).toEqual([
      "second line",
      { exitCode: 3, signal: null },
      { output: "out", truncated: false, exit: { exitCode: 3, signal: null } },
    ]);
    expect(asked).toEqual([
      ["fs/read_text_file", { sessionId, path: `${client.cwd}/notes.txt`, line: 2, limit: 1 }],
      ["fs/write_text_file", { sessionId, path: "/abs/out.txt", content: "text" }],
      [
        "terminal/create",
        { sessionId, command: "make", args: ["all"], env: [{ name: "A", value: "1" }], cwd: client.cwd },
      ],
      ["terminal/wait_for_exit", { sessionId, terminalId: "t1" }],
      ["terminal/output", { sessionId, terminalId: "t1" }],
      ["terminal/kill", { sessionId, terminalId: "t1" }],
      ["terminal/release", { sessionId, terminalId: "t1" }],
    ]);
  });

  it("is asked for nothing that it did not say it can, and its errors are the agent's to handle", async () => {
    const failures: unknown[] = [];
    const reader = agent((turn) => turn.readFile("a").catch((error: unknown) => failures.push(error)));
    const unable = hosted(reader);
    const sessionId = await unable.begin();
    await unable.prompt(sessionId, "hello");
    const able = await opened(reader);
    able.client.answerWith(() => ({ error: { code: -32002, message: "not there" } }));
    await able.client.prompt(able.sessionId, "hello");
    expect(failures).toMatchObject([
      { data: { kind: "no_client_capability" } },
      { code: -32002, message: "not there" },
    ]);
  });
});

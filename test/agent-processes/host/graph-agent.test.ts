import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { FakeStreamingChatModel } from "@langchain/core/utils/testing";
import {
  Annotation,
  END,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { type CompiledGraph, graphAgent, turnOf } from "../../../src/agents/host/graph.ts";
import { Latch } from "../../doubles/latch.ts";
import { ABLE, hosted, opened } from "./hosted.ts";

const State = Annotation.Root({
  prompt: Annotation<string>(),
  response: Annotation<string>(),
  _acp_session_id: Annotation<string>(),
  _acp_cwd: Annotation<string>(),
  _acp_additional_directories: Annotation<string[]>(),
  log: Annotation<string[]>({ reducer: (one, other) => [...one, ...other], default: () => [] }),
});
type Node = (state: typeof State.State, config: { signal?: AbortSignal }) => unknown;

/** A graph of one node. */
const single = (node: Node, checkpointer?: MemorySaver) =>
  new StateGraph(State)
    .addNode("work", async (state, config) => Object(await node(state, config)))
    .addEdge(START, "work")
    .addEdge("work", END)
    .compile(checkpointer ? { checkpointer } : {});

const text = (value: string) => ({ type: "text" as const, text: value });

describe("a graph as an agent", () => {
  it("[NG-61, NG-62] gets the prompt's text in its input channel, and what it is told of the session; answers from its output channel", async () => {
    const seen: unknown[] = [];
    const graph = single((state) => {
      seen.push(state);
      return { response: `You said ${state.prompt}` };
    });
    const { client, sessionId } = await opened(graphAgent(graph), undefined, {
      additionalDirectories: ["/b"],
    });
    const prompt = [
      text("look at"),
      { type: "resource_link" as const, uri: "file:///a/b.ts", name: "b.ts" },
      { type: "resource" as const, resource: { uri: "file:///c.md", text: "# C" } },
      { type: "image" as const, data: "AAAA", mimeType: "image/png" },
    ];
    expect(await client.promptWith(sessionId, prompt)).toEqual({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("You said look at [b.ts](file:///a/b.ts) # C");
    expect(seen).toEqual([
      {
        prompt: "look at [b.ts](file:///a/b.ts) # C",
        _acp_session_id: sessionId,
        _acp_cwd: client.cwd,
        _acp_additional_directories: ["/b"],
        log: [],
      },
    ]);
    await client.promptWith(sessionId, prompt.slice(3));
    expect(seen[1]).toMatchObject({ prompt: "" });
  });

  it("needs none of the session's channels, and may take and answer messages instead", async () => {
    const bare = new StateGraph(
      Annotation.Root({ prompt: Annotation<string>(), response: Annotation<unknown>() }),
    )
      .addNode("work", ({ prompt }) => ({ response: { said: prompt } }))
      .addEdge(START, "work")
      .addEdge("work", END)
      .compile();
    const one = await opened(graphAgent(bare));
    await one.client.prompt(one.sessionId, "hello");
    expect(one.client.texts(one.sessionId)).toBe('{"said":"hello"}');

    const chat = new StateGraph(MessagesAnnotation)
      .addNode("work", ({ messages }) => ({
        messages: [new AIMessage(`${messages.length}: ${messages.at(-1)?.text}`)],
      }))
      .addEdge(START, "work")
      .addEdge("work", END)
      .compile({ checkpointer: new MemorySaver() });
    const two = await opened(graphAgent(chat));
    await two.client.prompt(two.sessionId, "hello");
    await two.client.prompt(two.sessionId, "again");
    expect(two.client.texts(two.sessionId)).toBe("1: hello3: again");
  });

  it("is refused at once when it is not compiled, with what to do", () => {
    // What a module in JavaScript may well hand over.
    for (const graph of [{}, new StateGraph(MessagesAnnotation)])
      expect(() => graphAgent(graph as unknown as CompiledGraph)).toThrow("call .compile() on yours");
  });

  it("says nothing of an earlier turn's answer when it has none of its own", async () => {
    const graph = single(
      ({ prompt }) => (prompt === "speak" ? { response: "spoken" } : {}),
      new MemorySaver(),
    );
    const { client, sessionId } = await opened(graphAgent(graph));
    await client.prompt(sessionId, "speak");
    await client.prompt(sessionId, "be quiet");
    expect(client.texts(sessionId)).toBe("spoken");
  });

  it("lets each hook be replaced", async () => {
    const graph = single(({ log }) => ({ log: [...log, "worked"] }), new MemorySaver());
    const agent = graphAgent(graph, {
      name: "hooked",
      extractUserText: (blocks) => `${blocks.length} blocks`,
      buildInitialState: (blocks, sessionId) => ({ log: [String(blocks.length), sessionId] }),
      extractAgentText: ({ log }) => JSON.stringify(log),
    });
    const { client, sessionId } = await opened(agent);
    await client.prompt(sessionId, "hello");
    expect(client.texts(sessionId)).toBe(JSON.stringify(["1", sessionId, "1", sessionId, "worked"]));
    const whole = await opened(
      graphAgent(graph, {
        inputChannel: "response",
        outputChannel: "log",
        buildSessionState: (_, turn) => ({ log: [turn.session.cwd] }),
      }),
    );
    await whole.client.prompt(whole.sessionId, "hello");
    expect(whole.client.texts(whole.sessionId)).toBe(
      JSON.stringify([whole.client.cwd, whole.client.cwd, "worked"]),
    );
    const other = await opened(
      graphAgent(
        single(({ response }) => ({ prompt: `${response}!` })),
        { inputChannel: "response", outputChannel: "prompt" },
      ),
    );
    await other.client.prompt(other.sessionId, "hello");
    expect(other.client.texts(other.sessionId)).toBe("hello!");
  });

  it("streams the tokens of the named nodes, and says nothing twice", async () => {
    const model = (...chunks: string[]) =>
      new FakeStreamingChatModel({ chunks: chunks.map((content) => new AIMessageChunk(content)) });
    const graph = new StateGraph(State)
      .addNode("plan", async () => {
        await model("secret").invoke("x");
        return {};
      })
      .addNode("write", async () => ({ response: (await model("Hel", "lo").invoke("x")).text }))
      .addNode("sign", ({ response, prompt }) =>
        prompt === "sign" ? { response: `${response}, yours` } : {},
      )
      .addEdge(START, "plan")
      .addEdge("plan", "write")
      .addEdge("write", "sign")
      .addEdge("sign", END)
      .compile({ checkpointer: new MemorySaver() });
    const { client, sessionId } = await opened(graphAgent(graph, { streamNodes: "write" }));
    await client.prompt(sessionId, "write");
    expect(client.updates(sessionId)).toMatchObject([
      { sessionUpdate: "agent_message_chunk", content: { text: "Hel" } },
      { sessionUpdate: "agent_message_chunk", content: { text: "lo" } },
    ]);
    await client.prompt(sessionId, "sign");
    expect(client.texts(sessionId)).toBe("HelloHello, yours");
  });

  it("reaches its client from inside a node, found by its session", async () => {
    const graph = single(async (state, config) => {
      const turn = turnOf(state);
      await turn.say("reading ");
      const answer = await turn.ask({ title: "Read it?" });
      expect(turnOf(config)).toBe(turn);
      const terminal = await turn.terminal("make");
      return { response: `${answer} ${await turn.readFile("a.txt")} ${(await terminal.exited()).exitCode}` };
    });
    const { client, sessionId } = await opened(graphAgent(graph));
    client.answerWith(({ method }) => {
      if (method === "session/request_permission")
        return { outcome: { outcome: "selected", optionId: "allow" } };
      if (method === "fs/read_text_file") return { content: "the text" };
      return method === "terminal/create" ? { terminalId: "t" } : { exitCode: 0 };
    });
    await client.prompt(sessionId, "hello");
    expect(client.texts(sessionId)).toBe("reading allow the text 0");
    expect(() => turnOf({ _acp_session_id: sessionId })).toThrow(`No turn of session ${sessionId} runs`);
    expect(() => turnOf({})).toThrow("There is no session id here");
  });

  it("[NG-58, K-65] that reaches its limit of steps ends with max_turn_requests; one that throws, with its error and its line", async () => {
    const endless = new StateGraph(State)
      .addNode("again", () => ({}))
      .addEdge(START, "again")
      .addEdge("again", "again")
      .compile();
    const one = await opened(graphAgent(endless, { config: { recursionLimit: 3 } }));
    expect(await one.client.prompt(one.sessionId, "go")).toEqual({ stopReason: "max_turn_requests" });
    const broken = await opened(
      graphAgent(
        single(() => {
          throw new RangeError("no more");
        }),
      ),
    );
    await expect(broken.client.prompt(broken.sessionId, "go")).rejects.toMatchObject({
      message: expect.stringMatching(/^no more \(graph-agent\.test\.ts:\d+/),
    });
    expect(broken.client.texts(broken.sessionId)).toBe("");
    const builds = await opened(
      graphAgent(
        single(() => ({ response: "x" })),
        {
          buildInitialState: ([block]) => {
            if (block?.text === "bad") throw new Error("cannot build");
            return {};
          },
        },
      ),
    );
    await expect(builds.client.prompt(builds.sessionId, "bad")).rejects.toThrow("cannot build");
    expect(await builds.client.prompt(builds.sessionId, "good")).toEqual({ stopReason: "end_turn" });
  });

  it("that is cancelled stops the node's work: its model's call and its tools", async () => {
    const stopped: string[] = [];
    const begun = new Latch();
    const graph = single(
      (_, { signal }) =>
        new Promise((_, reject) => {
          begun.open();
          signal?.addEventListener("abort", () => {
            stopped.push("node");
            reject(new Error("stopped"));
          });
        }),
    );
    const { client, sessionId } = await opened(graphAgent(graph));
    const answer = client.prompt(sessionId, "hello");
    await begun.opened;
    client.cancel(sessionId);
    expect(await answer).toEqual({ stopReason: "cancelled" });
    expect(stopped).toEqual(["node"]);
    expect(client.texts(sessionId)).toBe("");
  });

  it("can be anything with a stream and a state", async () => {
    const graph = {
      async *events() {
        yield [[], "updates", { any: { response: "streamed" } }];
      },
      stream: async () => graph.events(),
      getState: async () => ({ values: { response: "kept" }, tasks: [] }),
    };
    const { client, sessionId } = await opened(graphAgent(graph));
    await client.prompt(sessionId, "hello");
    expect(client.texts(sessionId)).toBe("kept");
  });
});

describe("an interrupt of a graph", () => {
  const deleting = (
    saver: MemorySaver,
    ran: string[] = [],
    value: unknown = { reason: "Delete it?", path: "/a" },
  ) =>
    single(() => {
      const answer: unknown = interrupt(value);
      ran.push(String(answer));
      return { response: `answered ${answer}` };
    }, saver);

  it.each(["approve", "reject"])(
    "[NG-91] is a question in the same turn, which goes on with %s",
    async (choice) => {
      const { client, sessionId } = await opened(graphAgent(deleting(new MemorySaver())));
      const answer = client.prompt(sessionId, "delete");
      const { params, select } = await client.question();
      expect(params).toMatchObject({
        toolCall: {
          title: "Delete it?",
          kind: "other",
          status: "pending",
          rawInput: { reason: "Delete it?", path: "/a" },
          _meta: { "hall/interrupt": { node: "work", value: { reason: "Delete it?", path: "/a" } } },
        },
        options: [
          { optionId: "approve", kind: "allow_once" },
          { optionId: "reject", kind: "reject_once" },
        ],
      });
      select(choice);
      expect(await answer).toEqual({ stopReason: "end_turn" });
      expect(client.texts(sessionId)).toBe(`answered ${choice}`);
      expect(client.updates(sessionId)).toMatchObject([
        { sessionUpdate: "tool_call", toolCallId: params.toolCall.toolCallId, status: "pending" },
        { sessionUpdate: "tool_call_update", status: choice === "approve" ? "completed" : "failed" },
        { sessionUpdate: "agent_message_chunk" },
      ]);
    },
  );

  it.each([
    ["a text", "Sure?", "Sure?"],
    ["its question", { question: "Really?" }, "Really?"],
    ["its message", { message: "Well?" }, "Well?"],
    ["a sentence of ours", { other: 1 }, "The graph waits for an answer."],
  ])("has %s for a title", async (_, value, title) => {
    const { client, sessionId } = await opened(graphAgent(deleting(new MemorySaver(), [], value)));
    const answer = client.prompt(sessionId, "delete");
    const { params, select } = await client.question();
    expect(params.toolCall).toMatchObject({ title, rawInput: value });
    select("approve");
    await answer;
  });

  it("is refused by whoever does not answer, answers what was not offered, or answers with an error", async () => {
    const ran: string[] = [];
    const { client, sessionId } = await opened(graphAgent(deleting(new MemorySaver(), ran)));
    for (const how of ["cancel", "foreign", "error"]) {
      const answer = client.prompt(sessionId, "delete");
      const question = await client.question();
      if (how === "cancel") question.cancel();
      else if (how === "error") question.fail(-32603, "no");
      else question.select("foreign");
      expect(await answer).toEqual({ stopReason: "end_turn" });
    }
    expect(ran).toEqual(["reject", "reject", "reject"]);
  });

  it("that is cancelled ends its turn, and the next prompt is a new one", async () => {
    const ran: string[] = [];
    const { client, sessionId } = await opened(graphAgent(deleting(new MemorySaver(), ran)));
    const first = client.prompt(sessionId, "delete");
    await client.question();
    client.cancel(sessionId);
    expect(await first).toEqual({ stopReason: "cancelled" });
    const second = client.prompt(sessionId, "delete");
    (await client.question()).select("approve");
    await second;
    expect(ran).toEqual(["approve"]);
  });

  it("is asked with the others of its step, one after another; each gets its own answer", async () => {
    const ask = (name: string) => () => ({ log: [`${name}:${interrupt(`${name}?`)}`] });
    const graph = new StateGraph(State)
      .addNode("a", ask("a"))
      .addNode("b", ask("b"))
      .addNode("end", ({ log }) => ({ response: log.toSorted().join(" ") }))
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge("a", "end")
      .addEdge("b", "end")
      .addEdge("end", END)
      .compile({ checkpointer: new MemorySaver() });
    const { client, sessionId } = await opened(graphAgent(graph));
    const answer = client.prompt(sessionId, "go");
    for (let count = 0; count < 2; count += 1) {
      const { params, select } = await client.question();
      select(params.toolCall.title === "a?" ? "approve" : "reject");
    }
    expect(await answer).toEqual({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("a:approve b:reject");
  });

  it("reaches the person from a graph in a graph, and one after another in one node", async () => {
    const inner = single(() => {
      const one: unknown = interrupt("First?");
      const two: unknown = interrupt("Second?");
      return { response: `${one} then ${two}` };
    });
    const graph = new StateGraph(State)
      .addNode(
        "inner",
        new StateGraph(State).addNode("deep", inner).addEdge(START, "deep").addEdge("deep", END).compile(),
      )
      .addEdge(START, "inner")
      .addEdge("inner", END)
      .compile({ checkpointer: new MemorySaver() });
    const { client, sessionId } = await opened(graphAgent(graph));
    const answer = client.prompt(sessionId, "go");
    for (const [title, choice] of [
      ["First?", "approve"],
      ["Second?", "reject"],
    ] as const) {
      const { params, select } = await client.question();
      expect(params.toolCall.title).toBe(title);
      select(choice);
    }
    expect(await answer).toEqual({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("approve then reject");
  });

  it("[NG-92, NG-94] that no choice answers fails its turn with graph_interrupted; the next prompt's text answers it, once", async () => {
    const ran: string[] = [];
    const agent = graphAgent(deleting(new MemorySaver(), ran, "Your name?"), {
      interruptPermission: () => null,
    });
    const { client, sessionId } = await opened(agent);
    const failed = client.prompt(sessionId, "greet");
    await expect(failed).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining("Your name?"),
      data: { kind: "graph_interrupted", interrupt: { node: "work", value: "Your name?" } },
    });
    expect(await client.prompt(sessionId, "Ada")).toEqual({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("answered Ada");
    await expect(client.prompt(sessionId, "Ada")).rejects.toMatchObject({
      data: { kind: "graph_interrupted" },
    });
    expect(ran).toEqual(["Ada"]);
  });

  it("may have its own question and its own answer", async () => {
    const ran: string[] = [];
    const agent = graphAgent(deleting(new MemorySaver(), ran), {
      interruptPermission: () => ({
        title: "Which?",
        options: [{ optionId: "2", name: "Two", kind: "allow_once" }],
      }),
      interruptResumeValue: ({ node }, optionId) => `${node} ${optionId}`,
    });
    const { client, sessionId } = await opened(agent);
    const answer = client.prompt(sessionId, "delete");
    (await client.question()).select("2");
    await answer;
    expect(ran).toEqual(["work 2"]);
    const unanswered = client.prompt(sessionId, "delete");
    (await client.question()).cancel();
    await expect(unanswered).rejects.toMatchObject({ data: { kind: "graph_interrupted" } });
  });

  it("[NG-93, NG-94] that is open when its process is gone is answered by the next prompt, once", async () => {
    const saver = new MemorySaver();
    const ran: string[] = [];
    const first = await opened(graphAgent(deleting(saver, ran)));
    void first.client.prompt(first.sessionId, "delete").catch(() => {});
    await first.client.question();
    first.client.destroy();

    const second = hosted(graphAgent(deleting(saver, ran)));
    const { agentCapabilities } = await second.initialize({ clientCapabilities: ABLE });
    expect(agentCapabilities?.sessionCapabilities?.resume).toEqual({});
    await expect(second.resume("unknown")).rejects.toMatchObject({ code: -32002 });
    await second.resume(first.sessionId);
    expect(await second.prompt(first.sessionId, "go ahead")).toEqual({ stopReason: "end_turn" });
    expect(ran).toEqual(["go ahead"]);
    const again = second.prompt(first.sessionId, "go ahead");
    (await second.question()).select("reject");
    await again;
    expect(ran).toEqual(["go ahead", "reject"]);
  });
});

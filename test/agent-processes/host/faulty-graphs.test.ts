import { join } from "node:path";
import { Annotation, END, interrupt, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { type CompiledGraph, graphAgent } from "../../../src/agents/host/graph.ts";
import { HandClock } from "../../../src/ground/clock.ts";
import { packageRoot } from "../../../src/ground/package-root.ts";
import { startHall } from "../../doubles/start-hall.ts";
import { opened } from "./hosted.ts";

const State = Annotation.Root({
  prompt: Annotation<string>(),
  response: Annotation<unknown>(),
  log: Annotation<string[]>({ reducer: (one, other) => [...one, ...other], default: () => [] }),
});

type Options = { checkpointer?: MemorySaver };

/** A graph of one node. */
const single = (node: (prompt: string) => unknown, options: Options = {}) =>
  new StateGraph(State)
    .addNode("work", ({ prompt }) => Object(node(prompt)))
    .addEdge(START, "work")
    .addEdge("work", END)
    .compile(options);

/** A graph whose two branches are graphs that ask, at the same time; it tells what each was answered. */
function branches(checkpointer = new MemorySaver()) {
  const asking = (name: string) =>
    new StateGraph(State)
      .addNode("ask", () => ({ log: [`${name}:${interrupt(`${name}?`)}`] }))
      .addEdge(START, "ask")
      .addEdge("ask", END)
      .compile();
  const branch = (name: string) => {
    const graph = asking(name);
    return async () => ({ log: (await graph.invoke({ log: [] })).log });
  };
  return new StateGraph(State)
    .addNode("a", branch("a"))
    .addNode("b", branch("b"))
    .addNode("end", ({ log }) => ({ response: log.toSorted().join(" ") }))
    .addEdge(START, "a")
    .addEdge(START, "b")
    .addEdge("a", "end")
    .addEdge("b", "end")
    .addEdge("end", END)
    .compile({ checkpointer });
}

const circular: { self?: unknown } = {};
circular.self = circular;

describe("a graph", () => {
  it.each<[string, () => unknown, RegExp]>([
    ["answers in a circle", () => ({ response: circular }), /circular/],
    [
      "throws undefined",
      () => {
        throw undefined;
      },
      /./,
    ],
    ["asks without a place to keep the question", () => interrupt("Sure?"), /checkpointer/i],
  ])("whose node %s fails its turn in one line, and goes on", async (_, node, message) => {
    const graph = single((prompt) => (prompt === "bad" ? node() : { response: "fine" }));
    const { client, sessionId } = await opened(graphAgent(graph));
    await expect(client.prompt(sessionId, "bad")).rejects.toMatchObject({
      code: -32603,
      message: expect.stringMatching(message),
    });
    expect(await client.prompt(sessionId, "good")).toEqual({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("fine");
  });

  it.each<[string, CompiledGraph]>([
    [
      "streams what is no update",
      {
        stream: async () =>
          (async function* () {
            yield undefined;
            yield 5;
            yield ["updates"];
            yield [[], "updates", null];
            yield [[], "messages", null];
            yield [[], "updates", { work: "no state" }];
          })(),
        getState: async () => null,
      },
    ],
    [
      "knows its state in no shape of ours",
      {
        stream: async () => (async function* () {})(),
        getState: async () => ({ values: [], tasks: [null, { interrupts: "none" }] }),
      },
    ],
  ])("that %s ends its turn without a word", async (_, graph) => {
    const { client, sessionId } = await opened(graphAgent(graph, { streamNodes: "work" }));
    expect(await client.prompt(sessionId, "hello")).toEqual({ stopReason: "end_turn" });
    expect(client.updates(sessionId)).toEqual([]);
  });
});

describe("interrupts of graphs within a graph, at the same time", () => {
  it("each get their own answer, also when one is refused by silence", async () => {
    const { client, sessionId } = await opened(graphAgent(branches()));
    const answer = client.prompt(sessionId, "go");
    for (let count = 0; count < 2; count += 1) {
      const { params, select, cancel } = await client.question();
      if (params.toolCall.title === "a?") cancel();
      else select("approve");
    }
    expect(await answer).toEqual({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("a:reject b:approve");
  });

  it("are given up together when one of them is cancelled: the next prompt asks anew", async () => {
    const { client, sessionId } = await opened(graphAgent(branches()));
    const first = client.prompt(sessionId, "go");
    (await client.question()).select("approve");
    await client.question();
    client.cancel(sessionId);
    expect(await first).toEqual({ stopReason: "cancelled" });
    const second = client.prompt(sessionId, "go");
    for (let count = 0; count < 2; count += 1) (await client.question()).select("reject");
    expect(await second).toEqual({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("a:reject b:reject");
  });

  it("that are open when the client is gone: the next prompt answers one of them, and the other is asked", async () => {
    const saver = new MemorySaver();
    const first = await opened(graphAgent(branches(saver)));
    void first.client.prompt(first.sessionId, "go").catch(() => {});
    (await first.client.question()).select("approve");
    await first.client.question();
    first.client.destroy();
    const second = await opened(graphAgent(branches(saver)));
    await second.client.resume(first.sessionId);
    const answer = second.client.prompt(first.sessionId, "by words");
    const { params, select } = await second.client.question();
    select("reject");
    expect(await answer).toEqual({ stopReason: "end_turn" });
    const [asked = ""] = params.toolCall.title?.split("?") ?? [];
    const [other] = ["a", "b"].filter((name) => name !== asked);
    expect(second.client.texts(first.sessionId)).toBe(
      [`${asked}:reject`, `${other}:by words`].toSorted().join(" "),
    );
  });
});

describe("an interrupt in a hall", () => {
  it("that nobody answers in time is refused, and the graph goes on with that", async () => {
    const clock = new HandClock();
    const module = join(packageRoot(), "examples", "cleaner.mjs");
    const hall = await startHall({ slots: { cleaner: { module } }, clock });
    const client = await hall.connect();
    const sessionId = await client.begin();
    const answer = client.prompt(sessionId, "the old a.log");
    await client.question();
    clock.advance(120_000);
    expect(await answer).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("Nothing was deleted.");
  });
});

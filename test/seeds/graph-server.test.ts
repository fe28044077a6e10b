import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SimpleChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Annotation, END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { graphAgent } from "../../src/agents/host/graph.ts";
import { opened } from "../agent-processes/host/hosted.ts";
import { Latch } from "../doubles/latch.ts";
import { startHall } from "../doubles/start-hall.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

const State = Annotation.Root({ prompt: Annotation<string>(), response: Annotation<string>() });

/** A graph of one node. */
const single = (answer: (prompt: string) => string | Promise<string>) =>
  new StateGraph(State)
    .addNode("work", async ({ prompt }) => ({ response: await answer(prompt) }))
    .addEdge(START, "work")
    .addEdge("work", END)
    .compile();

const echo = single((prompt) => `You said ${prompt}. `);

describe("prompts of a graph that is served", () => {
  it("[NG-54] may follow an answer at once", async () => {
    const { client, sessionId } = await opened(graphAgent(echo));
    const second = client.prompt(sessionId, "one").then(() => client.prompt(sessionId, "two"));
    expect(await second).toEqual({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("You said one. You said two. ");
  });

  it("[NG-55] may be sent from within a refusal", async () => {
    const { client, sessionId } = await opened(graphAgent(echo));
    const again = client.prompt("nowhere", "one").catch(() => client.prompt(sessionId, "two"));
    expect(await again).toEqual({ stopReason: "end_turn" });
  });

  it("[NG-57] of an agent that cannot be started are refused, and work when it can", async () => {
    const file = join(temporaryFolder(), "late.mjs");
    const hall = await startHall({ slots: { late: { module: file } } });
    const client = await hall.connect();
    await client.initialize();
    await expect(client.newSession()).rejects.toMatchObject({ data: { kind: "spawn_failed" } });
    const agent = `{ name: "late", prompt: (turn) => turn.say("here") }`;
    writeFileSync(
      file,
      `import { defineAgent } from "acp-hall/agent";\nexport default defineAgent(${agent});\n`,
    );
    const { sessionId } = await client.newSession();
    expect(await client.prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("here");
  });

  it("[NG-58] whose answer cannot be read are one error, and the next one works", async () => {
    let times = 0;
    const extractAgentText = (): string => {
      times += 1;
      if (times === 1) throw new Error("cannot read");
      return "read";
    };
    const { client, sessionId } = await opened(graphAgent(echo, { extractAgentText }));
    await expect(client.prompt(sessionId, "one")).rejects.toThrow("cannot read");
    expect(await client.prompt(sessionId, "two")).toEqual({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("read");
  });
});

describe("a cancel of a graph that is served", () => {
  it("[NG-68, NG-69] has one answer, and no last words", async () => {
    const begun = new Latch();
    const gate = new Latch();
    const graph = single(async () => {
      begun.open();
      await gate.opened;
      return "too late";
    });
    const { client, sessionId } = await opened(graphAgent(graph));
    const answer = client.prompt(sessionId, "hello");
    await begun.opened;
    client.cancel(sessionId);
    client.cancel(sessionId);
    gate.open();
    expect(await answer).toEqual({ stopReason: "cancelled" });
    expect(await client.saidMeanwhile()).toEqual([]);
    expect(client.texts(sessionId)).toBe("");
  });

  it("[NG-71] that comes with the last words wins", async () => {
    const gate = new Latch();
    const agent = graphAgent(echo);
    const { client, sessionId } = await opened({
      ...agent,
      async prompt(turn) {
        const reason = await agent.prompt(turn);
        await gate.opened;
        return reason ?? "end_turn";
      },
    });
    const answer = client.prompt(sessionId, "hello");
    await client.hears("You said hello. ");
    client.cancel(sessionId);
    await client.saidMeanwhile();
    gate.open();
    expect(await answer).toEqual({ stopReason: "cancelled" });
  });

  it("[NG-75] in the moment of its end leaves one answer", async () => {
    const begun = new Latch();
    const graph = single(() => {
      begun.open();
      return new Promise<string>(() => {});
    });
    const { client, sessionId } = await opened(graphAgent(graph));
    const answer = client.prompt(sessionId, "hello");
    await begun.opened;
    const since = client.messages.length;
    client.cancel(sessionId);
    client.end();
    expect(await answer).toEqual({ stopReason: "cancelled" });
    await client.closed;
    expect(client.messages.slice(since)).toHaveLength(1);
  });

  it("[NG-76] reaches the model's call and the tool", async () => {
    const stopped: string[] = [];
    const waits = (what: string, begun: Latch, signal: AbortSignal | undefined) =>
      new Promise<string>((_, reject) => {
        begun.open();
        signal?.addEventListener("abort", () => {
          stopped.push(what);
          reject(new Error("stopped"));
        });
      });
    const called = new Latch();
    class Model extends SimpleChatModel {
      _llmType(): string {
        return "waiting";
      }
      _call(_: unknown, { signal }: this["ParsedCallOptions"]): Promise<string> {
        return waits("model", called, signal);
      }
    }
    const used = new Latch();
    const slow = tool((_, { signal }) => waits("tool", used, signal), {
      name: "slow",
      schema: z.object({}),
    });
    const asked = new AIMessage({ content: "", tool_calls: [{ id: "c", name: "slow", args: {} }] });
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("ask", async ({ messages }, config) => ({
        messages:
          messages.at(-1)?.text === "use the tool" ? [asked] : [await new Model({}).invoke(messages, config)],
      }))
      .addNode("use", new ToolNode([slow]))
      .addEdge(START, "ask")
      .addEdge("ask", "use")
      .addEdge("use", END)
      .compile();
    const { client, sessionId } = await opened(graphAgent(graph));
    for (const [words, begun] of [
      ["think", called],
      ["use the tool", used],
    ] as const) {
      const answer = client.prompt(sessionId, words);
      await begun.opened;
      client.cancel(sessionId);
      expect(await answer).toEqual({ stopReason: "cancelled" });
    }
    expect(stopped).toEqual(["model", "tool"]);
  });
});

import { randomUUID } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { aiAgent } from "../../../src/agents/host/ai.ts";
import { defineAgent, type McpTool, type Turn } from "../../../src/agents/host/define.ts";
import { graphAgent, turnOf } from "../../../src/agents/host/graph.ts";
import { HandClock } from "../../../src/ground/clock.ts";
import { messageOf } from "../../../src/ground/thrown.ts";
import { Latch } from "../../doubles/latch.ts";
import { makeServer } from "../../doubles/mcp-server.mjs";
import { hosted, opened } from "./hosted.ts";
import { call, finish, model, text } from "./model.ts";

const stdio = (name = "my notes", env: object[] = [{ name: "NOTES_OWNER", value: "Ada" }]) => ({
  name,
  command: process.execPath,
  args: [join(import.meta.dirname, "..", "..", "doubles", "mcp-server.mjs")],
  env,
});

/** A server on the web, which asks for a header. */
async function web(type: "http" | "sse", serve: RequestListener): Promise<object> {
  const listener = createServer((request, response) => {
    if (request.headers.authorization === "Bearer key") serve(request, response);
    else response.writeHead(401).end();
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    listener.closeAllConnections();
    listener.close();
  });
  const { port } = listener.address() as AddressInfo;
  return {
    type,
    name: type === "http" ? "web" : "events",
    url: `http://127.0.0.1:${port}/mcp`,
    headers: [{ name: "Authorization", value: "Bearer key" }],
  };
}

/** The same server by HTTP. */
const http = (): Promise<object> =>
  web("http", async (request, response) => {
    const transport = new StreamableHTTPServerTransport({});
    await makeServer().connect(transport);
    await transport.handleRequest(request, response);
  });

/** And by SSE, as it was before. */
function sse(): Promise<object> {
  let transport: SSEServerTransport | undefined;
  return web("sse", async (request, response) => {
    if (request.method === "POST") return transport?.handlePostMessage(request, response);
    transport = new SSEServerTransport("/mcp", response);
    await makeServer().connect(transport);
  });
}

/** One by HTTP that knows its clients, until it is restarted. */
async function restartable(): Promise<{ server: object; restart(): void }> {
  const sessions = new Map<unknown, StreamableHTTPServerTransport>();
  const server = await web("http", async (request, response) => {
    const { "mcp-session-id": id } = request.headers;
    const known = sessions.get(id);
    if (id !== undefined && !known) return void response.writeHead(404).end();
    const transport =
      known ??
      new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (made) => void sessions.set(made, transport),
      });
    // The SDK's own transport does not fit its own interface under exactOptionalPropertyTypes.
    if (!known) await makeServer().connect(transport as Transport);
    await transport.handleRequest(request, response);
  });
  return { server, restart: () => sessions.clear() };
}

const using = (use: (tools: readonly McpTool[], turn: Turn) => unknown) =>
  defineAgent({
    name: "user",
    async prompt(turn) {
      await use(await turn.mcpTools(), turn);
    },
  });

const named = (tools: readonly McpTool[], name: string): McpTool => {
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw new Error(`There is no tool ${name} among ${tools.map((one) => one.name).join(", ")}.`);
  return tool;
};

describe("the MCP servers of a session", () => {
  it("are connected by stdio, by HTTP and by SSE; their tools are called, and fail in words", async () => {
    const results: unknown[] = [];
    const agent = using(async (tools) => {
      results.push(tools.map(({ name, isReadOnly }) => [name, isReadOnly]));
      for (const name of ["my_notes__read", "web__read", "events__read"]) {
        results.push((await named(tools, name).call({ path: "a" })).text);
      }
      results.push(
        await named(tools, "web__fail")
          .call({ path: "a" })
          .catch((error: Error) => error.message),
      );
    });
    const { client, sessionId } = await opened(agent, undefined, {
      mcpServers: [stdio(), await http(), await sse()],
    });
    await client.prompt(sessionId, "hello");
    const list = (server: string) => [
      [`${server}__read`, true],
      [`${server}__write`, false],
      [`${server}__fail`, false],
      [`${server}__crash`, false],
    ];
    expect(results).toEqual([
      [...list("my_notes"), ...list("web"), ...list("events")],
      `note a of Ada in ${client.cwd}`,
      `note a of nobody in ${process.cwd()}`,
      `note a of nobody in ${process.cwd()}`,
      "no such note",
    ]);
    await client.closeSession(sessionId);
  });

  it("that cannot be reached are shown, once, and the others work", async () => {
    const missing = { name: "missing", command: "/no/such/server", args: [], env: [] };
    const closed = { type: "http", name: "closed", url: "http://127.0.0.1:9/mcp", headers: [] };
    const silent = { name: "silent", command: process.execPath, args: ["-e", ""], env: [] };
    const counts: number[] = [];
    const agent = using((tools) => counts.push(tools.length));
    const { client, sessionId } = await opened(agent, undefined, {
      mcpServers: [missing, stdio(), closed, silent],
    });
    await client.prompt(sessionId, "hello");
    await client.prompt(sessionId, "again");
    expect(counts).toEqual([4, 4]);
    expect(client.updates(sessionId)).toMatchObject(
      ["missing", "closed", "silent"].flatMap((name) => [
        { sessionUpdate: "tool_call", title: `MCP server ${name}` },
        {
          sessionUpdate: "tool_call_update",
          status: "failed",
          rawOutput: expect.stringMatching(/^It cannot be used: ./),
        },
      ]),
    );
    await client.closeSession(sessionId);
  });

  it("that have tools of the same name, or of too long a one, give each a name of its own", async () => {
    const names: string[] = [];
    const agent = using((tools) =>
      names.push(...tools.map(({ name }) => name).filter((name) => /read/.test(name))),
    );
    const servers = [stdio("a b"), stdio("a_b"), stdio(`read${"x".repeat(80)}`)];
    const { client, sessionId } = await opened(agent, undefined, { mcpServers: servers });
    await client.prompt(sessionId, "hello");
    expect(names.slice(0, 2)).toEqual(["a_b__read", "a_b__read_2"]);
    expect(new Set(names).size).toBe(6);
    expect(Math.max(...names.map((name) => name.length))).toBe(64);
    await client.closeSession(sessionId);
  });

  it("that end are started again by the next turn", async () => {
    const outcomes: unknown[] = [];
    const agent = using(async (tools, { text }) =>
      outcomes.push(
        await named(tools, `my_notes__${text}`)
          .call({ path: "a" })
          .then(
            ({ text: said }) => said,
            (error: Error) => error.message,
          ),
      ),
    );
    const { client, sessionId } = await opened(agent, undefined, { mcpServers: [stdio()] });
    await client.prompt(sessionId, "crash");
    await client.prompt(sessionId, "write");
    expect(outcomes).toEqual([expect.stringMatching(/^The MCP server my notes failed: /), "wrote a"]);
    await client.closeSession(sessionId);
  });

  it("that were started again elsewhere are connected again by the next turn, and not for an error that they answer", async () => {
    const { server, restart } = await restartable();
    const outcomes: string[] = [];
    const agent = using(async (tools, { text }) => {
      const call = named(tools, `web__${text}`).call({ path: "a" });
      outcomes.push(await call.then(({ text: said }) => said, messageOf));
    });
    const { client, sessionId } = await opened(agent, undefined, { mcpServers: [server] });
    for (const name of ["write", "fail", "write"]) await client.prompt(sessionId, name);
    restart();
    for (const name of ["write", "write"]) await client.prompt(sessionId, name);
    expect(outcomes).toEqual([
      "wrote a",
      "no such note",
      "wrote a",
      expect.stringMatching(/^The MCP server web failed: /),
      "wrote a",
    ]);
    await client.closeSession(sessionId);
  });

  it.each(["http", "sse"] as const)(
    "that take a call by %s and say nothing are waited for once, and hold up no cancel",
    async (type) => {
      const clock = new HandClock();
      const reached = Array.from({ length: 3 }, () => new Latch());
      let calls = 0;
      const silent = await web(type, () => reached[calls++]?.open());
      const counts: number[] = [];
      const client = hosted(
        using((tools) => counts.push(tools.length)),
        { clock },
      );
      await client.initialize();
      const { sessionId } = await client.newSession({ mcpServers: [silent] });

      const cancelled = client.prompt(sessionId, "one");
      await reached[0]?.opened;
      client.cancel(sessionId);
      expect(await cancelled).toEqual({ stopReason: "cancelled" });

      const waited = client.prompt(sessionId, "two");
      await reached[1]?.opened;
      clock.advance(30_000);
      expect(await waited).toEqual({ stopReason: "end_turn" });
      expect(client.updates(sessionId).at(-1)).toMatchObject({
        status: "failed",
        rawOutput:
          "It cannot be used: It did not answer within 30 s, and is not asked again in this session.",
      });
      expect(await client.prompt(sessionId, "three")).toEqual({ stopReason: "end_turn" });
      expect(counts).toEqual([0, 0]);
      expect(calls).toBe(2);
      await client.closeSession(sessionId);
    },
  );

  it("that have a tool twice, or more than any model takes, are read as far as a thousand, each by a name of its own", async () => {
    const name = (at: number): string => (at < 2 ? "same" : `t${at}`);
    const many = await web("http", async (request, response) => {
      const server = new Server({ name: "many", version: "1" }, { capabilities: { tools: {} } });
      server.setRequestHandler(ListToolsRequestSchema, () => ({
        tools: Array.from({ length: 1_500 }, (_, at) => ({
          name: name(at),
          inputSchema: { type: "object" as const },
        })),
      }));
      const transport = new StreamableHTTPServerTransport({});
      await server.connect(transport as Transport);
      await transport.handleRequest(request, response);
    });
    const names: string[] = [];
    const agent = using((tools) => void names.push(...tools.map((one) => one.name)));
    const { client, sessionId } = await opened(agent, undefined, { mcpServers: [many] });
    await client.prompt(sessionId, "hello");
    expect(names.slice(0, 3)).toEqual(["web__same", "web__same_2", "web__t2"]);
    expect(names).toHaveLength(1_000);
    await client.closeSession(sessionId);
  });

  it("give a graph their tools, in its state where it has a channel for them, and by its turn", async () => {
    const State = Annotation.Root({
      response: Annotation<string>(),
      _acp_session_id: Annotation<string>(),
      _acp_mcp_tools: Annotation<readonly McpTool[]>(),
    });
    const graph = new StateGraph(State)
      .addNode("work", async (state) => {
        const inState = await named(state._acp_mcp_tools, "my_notes__write").call({ path: "a" });
        const byTurn = await named(await turnOf(state).mcpTools(), "my_notes__write").call({ path: "b" });
        return { response: `${inState.text}, ${byTurn.text}` };
      })
      .addEdge(START, "work")
      .addEdge("work", END)
      .compile();
    const { client, sessionId } = await opened(graphAgent(graph), undefined, { mcpServers: [stdio()] });
    await client.prompt(sessionId, "hello");
    expect(client.texts(sessionId)).toBe("wrote a, wrote b");
    await client.closeSession(sessionId);
  });

  it("give a model their tools: what only reads runs, the rest is asked for", async () => {
    const asked = model(
      [
        call("r", "my_notes__read", { path: "a" }),
        call("w", "my_notes__write", { path: "b" }),
        finish("tool-calls"),
      ],
      [...text("done"), finish("stop")],
    );
    const { client, sessionId } = await opened(aiAgent({ model: asked }), undefined, {
      mcpServers: [stdio("my notes", [])],
    });
    const answer = client.prompt(sessionId, "hello");
    const { params, select } = await client.question();
    expect(params.toolCall).toMatchObject({ toolCallId: "w", title: "my_notes__write" });
    select("allow");
    expect(await answer).toEqual({ stopReason: "end_turn" });
    const ends = client.updates(sessionId).filter((update) => Object(update).status === "completed");
    expect(ends).toMatchObject([
      { toolCallId: "r", content: [{ content: { text: `note a of nobody in ${client.cwd}` } }] },
      { toolCallId: "w", content: [{ content: { text: "wrote b" } }] },
    ]);
    expect(JSON.stringify(asked.doStreamCalls.at(-1)?.prompt)).toContain("wrote b");
    await client.closeSession(sessionId);
  });
});

import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream, RequestError, type SessionUpdate } from "@agentclientprotocol/sdk";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "./eventually.ts";
import { agentCommand } from "./scripted-agent/command.ts";
import { type Step, script } from "./scripted-agent/script.ts";
import type { Ways } from "./scripted-agent/ways.ts";

/** The agent driven by the client of the ACP SDK, which shares no line with it or with us. */
function sdkClient(ways: Ways = {}) {
  const [program, ...args] = agentCommand(ways);
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const updates: SessionUpdate[] = [];
  const connection = client({ name: "sdk" })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push(params.update);
    })
    .onRequest(methods.client.session.requestPermission, ({ params }) => ({
      outcome: { outcome: "selected", optionId: params.options[0]?.optionId ?? "" },
    }))
    .onRequest(methods.client.fs.readTextFile, ({ params }) => ({ content: `content of ${params.path}` }))
    .connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const { agent } = connection;
  return {
    agent,
    updates,
    initialize: () => agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} }),
    newSession: () => agent.request(methods.agent.session.new, { cwd: "/tmp", mcpServers: [] }),
    prompt: (sessionId: string, ...steps: Step[]) =>
      agent.request(methods.agent.session.prompt, {
        sessionId,
        prompt: [{ type: "text", text: script(...steps) }],
      }),
  };
}

const saying = (text: string) => ({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });

describe("a scripted agent, to the SDK's client", () => {
  it("initializes, makes a session and echoes a prompt in a few chunks", async () => {
    const { agent, updates, initialize, newSession } = sdkClient();
    expect(await initialize()).toMatchObject({ protocolVersion: 1, agentInfo: { name: "scripted-agent" } });
    const { sessionId } = await newSession();
    const prompt = [{ type: "text" as const, text: "hello" }];
    const answer = await agent.request(methods.agent.session.prompt, { sessionId, prompt });
    expect(answer).toEqual({ stopReason: "end_turn" });
    await eventually(() => updates).toEqual(["echo: ", "hel", "lo"].map(saying));
  });

  it("sends thoughts, plans and tool calls that the SDK takes, and asks and reads through the client", async () => {
    const { updates, initialize, newSession, prompt } = sdkClient();
    await initialize();
    const { sessionId } = await newSession();
    await prompt(
      sessionId,
      { think: "hm" },
      { plan: ["one"] },
      { tool: { id: "t1", title: "Run", kind: "execute", status: "pending" } },
      { ask: { tool: { id: "t1", title: "Run" } } },
      { toolUpdate: { id: "t1", status: "completed" } },
      { read: "/etc/motd" },
    );
    const expected = [
      { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" } },
      { sessionUpdate: "plan", entries: [{ content: "one", priority: "medium", status: "pending" }] },
      { sessionUpdate: "tool_call", toolCallId: "t1", title: "Run", kind: "execute", status: "pending" },
      saying("asked: selected allow"),
      { sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed" },
      saying("read: content of /etc/motd"),
    ];
    await eventually(() => updates).toEqual(expected);
  });

  it("ends a turn as cancelled when the client cancels it", async () => {
    const { agent, updates, initialize, newSession, prompt } = sdkClient();
    await initialize();
    const { sessionId } = await newSession();
    const turn = prompt(sessionId, { say: "working" }, { wait: "forever" });
    await eventually(() => updates).toEqual([saying("working")]);
    await agent.notify(methods.agent.session.cancel, { sessionId });
    expect(await turn).toEqual({ stopReason: "cancelled" });
  });

  it("lists, closes, resumes and loads its sessions, and sets modes and options", async () => {
    const { agent, updates, initialize, newSession, prompt } = sdkClient({
      modes: { currentModeId: "ask", availableModes: ["ask", "code"].map((id) => ({ id, name: id })) },
      configOptions: [
        {
          id: "model",
          name: "Model",
          type: "select",
          currentValue: "small",
          options: ["small", "large"].map((value) => ({ value, name: value })),
        },
      ],
    });
    await initialize();
    const { sessionId, modes } = await newSession();
    expect(modes?.currentModeId).toBe("ask");
    await agent.request(methods.agent.session.setMode, { sessionId, modeId: "code" });
    const option = { sessionId, configId: "model", value: "large" };
    const set = await agent.request(methods.agent.session.setConfigOption, option);
    expect(set).toMatchObject({ configOptions: [{ id: "model", currentValue: "large" }] });
    await prompt(sessionId, { tell: "mode" }, { tell: "options" });
    const said = [saying("mode: code"), saying('options: {"model":"large"}')];
    await eventually(() => updates).toEqual(said);
    updates.length = 0;

    expect((await agent.request(methods.agent.session.list, {})).sessions).toEqual([
      { sessionId, cwd: "/tmp" },
    ]);
    await agent.request(methods.agent.session.close, { sessionId });
    await expect(prompt(sessionId, { say: "?" })).rejects.toMatchObject({ code: -32002 });
    await agent.request(methods.agent.session.resume, { sessionId, cwd: "/tmp" });
    expect(updates).toEqual([]);
    await agent.request(methods.agent.session.load, { sessionId, cwd: "/tmp", mcpServers: [] });
    await eventually(() => updates).toMatchObject([{ sessionUpdate: "user_message_chunk" }, ...said]);
  });

  it("asks for a login when it needs one, and is content with it afterwards", async () => {
    const { agent, initialize, newSession } = sdkClient({
      needsAuth: true,
      authMethods: [{ id: "key", name: "An API key" }],
    });
    expect(await initialize()).toMatchObject({ authMethods: [{ id: "key" }] });
    const refused = await newSession().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RequestError);
    expect(refused).toMatchObject({ code: -32000, data: { authMethods: [{ id: "key" }] } });
    await agent.request(methods.agent.authenticate, { methodId: "key" });
    expect(await newSession()).toMatchObject({ sessionId: expect.any(String) });
  });
});

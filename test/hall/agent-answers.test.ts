import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { converse, joined, toAgents } from "../doubles/conversation.ts";
import type { Step } from "../doubles/scripted-agent/script.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

const modes = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "code", name: "Code" },
    { id: "plan", name: "Plan" },
  ],
};

const model = (currentValue: string) => ({
  id: "model",
  name: "Model",
  type: "select",
  currentValue,
  options: [
    { value: "small", name: "Small" },
    { value: "large", name: "Large" },
  ],
});

const mode = (currentModeId: string) => ({ sessionUpdate: "current_mode_update", currentModeId });
const options = (value: string) => ({ sessionUpdate: "config_option_update", configOptions: [model(value)] });

describe("what is in force in a session", () => {
  it("is what its agent said last, also when that came in one breath with its answer to session/new", async () => {
    const newSessionUpdates = { after: [options("large"), mode("code")] };
    const { hall, client, sessionId } = await converse({
      modes,
      configOptions: [model("small")],
      newSessionUpdates,
    });
    await client.saidMeanwhile();
    const other = await hall.connect();
    await other.initialize();
    expect(await other.load(sessionId)).toMatchObject({
      modes: { currentModeId: "code" },
      configOptions: [{ id: "model", currentValue: "large" }],
    });
  });

  it("is what its agent answered, not what it had said before", async () => {
    const newSessionUpdates = { before: [options("large"), mode("code")] };
    const { hall, sessionId } = await converse({ modes, configOptions: [model("small")], newSessionUpdates });
    const other = await hall.connect();
    await other.initialize();
    expect(await other.load(sessionId)).toMatchObject({
      modes: { currentModeId: "ask" },
      configOptions: [{ id: "model", currentValue: "small" }],
    });
  });

  it("is recorded when it changes, and not each time that it is told", async () => {
    const told = Array.from({ length: 20 }, () => ({ update: options("large") }));
    const { hall, client, sessionId } = await converse({ modes, configOptions: [model("small")] });
    await client.prompt(sessionId, told);
    const record = readFileSync(join(hall.state, "sessions", sessionId, "session.jsonl"), "utf8");
    const values = [...record.matchAll(/"currentValue":"(\w+)"/g)].map(([, value]) => value);
    expect(values).toEqual(["small", "large"]);
  });

  it("is not what a replay tells of: it is chosen again, and stays chosen", async () => {
    const capabilities = { loadSession: true };
    const stateFile = `${temporaryFolder()}/state`;
    const loadUpdates = { before: [mode("plan")], after: [] };
    const { hall, client, sessionId } = await converse({ modes, capabilities, stateFile, loadUpdates });
    await client.setMode(sessionId, "code");
    await client.prompt(sessionId, "first");
    for (let round = 0; round < 2; round += 1) {
      await client.closeSession(sessionId);
      await client.prompt(sessionId, [{ tell: "mode" }]);
    }
    expect(client.texts(sessionId)).toBe("echo: firstmode: codemode: code");
    const other = await joined(hall, sessionId);
    expect(await other.load(sessionId)).toMatchObject({ modes: { currentModeId: "code" } });
  });
});

describe("an agent's question", () => {
  it("is under the hall's id of the session, also when it comes while the session is being set up again", async () => {
    const stateFile = `${temporaryFolder()}/state`;
    const { client, sessionId } = await converse({ stateFile });
    await client.prompt(sessionId, "first");
    await client.closeSession(sessionId);
    const turn = client.prompt(sessionId, [{ ask: { tool: { id: "t" } } }]);
    const question = await client.question();
    expect(question.params.sessionId).toBe(sessionId);
    question.select("allow");
    await turn;
  });
});

describe("an agent that reads nothing", () => {
  it("is not sent more than a line and a little, and costs no more memory than that", async () => {
    const { hall, client, sessionId } = await converse({}, { roster: { limits: { line: "1MiB" } } });
    await client.prompt(sessionId, "hello");
    const { pid } = hall.agents().at(-1) ?? { pid: 0 };
    process.kill(pid, "SIGSTOP");
    const text = "x".repeat(200_000);
    for (let count = 0; count < 50; count += 1) client.notify("_vendor/note", { sessionId, text });
    await expect(client.request("_vendor/ask", { sessionId })).rejects.toMatchObject({
      data: { kind: "agent_protocol" },
    });
    expect(hall.log.join("\n")).toContain("_vendor/note was dropped");
    const [agent] = hall.service.hall.slots.choose(undefined).agents;
    expect(agent?.process.transport.backlog).toBeLessThan(3_000_000);
    process.kill(pid, "SIGCONT");
    expect(await client.prompt(sessionId, "again")).toMatchObject({ stopReason: "end_turn" });
  });
});

describe("an agent that answers a prompt with", () => {
  /** The ids of what the hall asked before: initialize, session/new. */
  const PROMPT = 2;
  /** What it answers before its proper answer, which then is one to nothing. */
  const answer = (fields: string): Step[] => [{ raw: `{"jsonrpc":"2.0","id":${PROMPT},${fields}}` }];

  it.each([
    ["text", '"result":"done"'],
    ["a list", '"result":[]'],
    ["null", '"result":null'],
    ["nothing", '"more":1'],
    ["an error that is text", '"error":"No."'],
    ["an error without a code", '"error":{"message":"No."}'],
    ["both a result and an error", '"result":{"stopReason":"end_turn"},"error":{"code":1,"message":"No."}'],
  ])("%s has broken the protocol; whoever asked is told, and the session goes on", async (_name, fields) => {
    const { hall, client, sessionId } = await converse({}, { slot: { cwd: "work" } });
    await expect(client.prompt(sessionId, answer(fields))).rejects.toMatchObject({
      code: -32000,
      data: { kind: "agent_protocol", slot: "scripted" },
    });
    expect(await client.prompt(sessionId, "next")).toMatchObject({ stopReason: "end_turn" });
    expect(toAgents(hall).filter(({ method }) => method === "session/prompt")).toHaveLength(2);
  });
});
